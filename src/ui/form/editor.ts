import type { UseMutationResult } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isKeptBack, reason, refusedFields } from '../data/api.ts'
import { useSessionUser } from '../data/session.ts'
import { stringifySearch } from '../navigation/address.ts'
import { authorId, followForm, forgetForm } from '../navigation/editing.ts'
import { isServerThere } from '../navigation/screen.ts'
import { complain } from '../toasts.ts'
import { warnOfMissing } from './actions/save-button.tsx'
import type { Draft } from './draft.ts'

/** Shows the server's errors at the fields; the toast with the same message is withdrawn with the next edit. */
export const refuse = <Values extends object>(draft: Draft<Values>, error: unknown) =>
  draft.refuse(refusedFields(error), reason(error))

/** Shows the server's errors at the fields, and by a toast only what concerns none of them: for mutations that are quiet. */
export function refuseOnce<Values extends object>(draft: Draft<Values>, error: unknown) {
  refuse(draft, error)
  const isBeside = Object.keys(refusedFields(error)).some((name) => name in draft.values)
  if (!isBeside && !isKeptBack(error)) complain(reason(error))
}

/** Shows the contract's errors at the fields; returns whether there are none. */
export function passes<Values extends object>(draft: Draft<Values>, wrong: Record<string, string>): boolean {
  draft.refuse(wrong)
  return Object.keys(wrong).length === 0
}

/** What the buttons of a form need. */
export type Editor = { changed: boolean; missing: readonly string[]; busy: boolean; save: () => void }

/**
 * Saves the form of a page by its button or Ctrl+S, if nothing is missing and the contract accepts it, and asks before
 * the user leaves unsaved changes.
 */
export function useEditor<Values extends object, Body, Answer>(options: {
  draft: Draft<Values>
  /** The labels of required fields that are empty. */
  missing: readonly string[]
  /** Whether something else prevents saving; it tells the user itself. */
  isBlocked?: () => boolean
  body: () => Body
  /** The contract's errors by field; may fetch the contract. */
  check: (body: Body) => Record<string, string> | Promise<Record<string, string>>
  mutation: UseMutationResult<Answer, Error, Body>
  /** Allows only one save: until the new record's own page is loaded, another one would create a second record. */
  once?: true
  onSaved: (answer: Answer) => void
  onFailed?: (error: unknown) => void
}): Editor & { send: (body: Body) => Promise<void> } {
  const { draft, missing, mutation } = options
  const busy = mutation.isPending || (options.once === true && mutation.isSuccess)
  const isChecking = useRef(false)
  // The server checks as well, so a contract that can't be fetched prevents nothing.
  const issuesIn = async (body: Body) => {
    try {
      return await options.check(body)
    } catch {
      return {}
    }
  }
  const send = async (body: Body) => {
    if (busy || isChecking.current) return
    if (missing.length > 0) return warnOfMissing(missing)
    if (options.isBlocked?.()) return
    isChecking.current = true
    const author = authorId()
    const wrong = await issuesIn(body)
    isChecking.current = false
    if (!passes(draft, wrong)) return
    // Whoever goes on as another user meanwhile is asked to save again.
    if (authorId() !== author) return
    mutation.mutate(body, {
      onSuccess: options.onSaved,
      onError: (error) => {
        options.onFailed?.(error)
        refuse(draft, error)
      },
    })
  }
  const save = () => void send(options.body())
  // Fetches the contract while the form is filled in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(() => {
    if (draft.changed) void issuesIn(options.body())
  }, [draft.changed])
  useLeaveGuard(draft.isChanged)
  useSaveKey(save)
  return { changed: draft.changed, missing, busy, save, send }
}

const question = 'You have unsaved changes. Leave this page?'

type Place = { pathname: string; search: Record<string, unknown> }
/** Another record under the same path is another place. */
const isAt = (a: Place, b: Place) =>
  a.pathname === b.pathname && stringifySearch(a.search) === stringifySearch(b.search)

/** Asks before the user leaves unsaved changes by a link or by closing the tab; they stay if the session ends. */
function useLeaveGuard(isChanged: () => boolean) {
  const user = useSessionUser()
  useEffect(() => followForm(isChanged, user))
  useEffect(() => forgetForm, [])
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isAt(current, next) || !isChanged()) return false
      // Don't ask if the next screen can't be loaded anyway.
      return !(await isServerThere()) || !confirm(question)
    },
    enableBeforeUnload: isChanged,
  })
}

/** Ctrl+S saves the form instead of the browser's page. */
function useSaveKey(save: () => void) {
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
