import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSessionUser } from '../data/session.ts'
import { stringifySearch } from '../navigation/address.ts'
import { followForm, forgetForm } from '../navigation/editing.ts'
import { isServerThere } from '../navigation/screen.ts'

const question = 'You have unsaved changes. Leave this page?'

type Place = { pathname: string; search: Record<string, unknown> }
/** Another record under the same path is another place. */
const isAt = (a: Place, b: Place) =>
  a.pathname === b.pathname && stringifySearch(a.search) === stringifySearch(b.search)

/** Asks before unsaved changes are left behind, by a link or by closing the tab; a session that ends leaves them there. */
export function useLeaveGuard(isChanged: () => boolean) {
  const user = useSessionUser()
  useEffect(() => followForm(isChanged, user))
  useEffect(() => forgetForm, [])
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isAt(current, next) || !isChanged()) return false
      // Nobody is asked to leave for a screen that cannot be reached.
      return !(await isServerThere()) || !confirm(question)
    },
    enableBeforeUnload: isChanged,
  })
}

/** Ctrl+S saves the form instead of the browser's page. */
export function useSaveKey(save: () => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      save()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
