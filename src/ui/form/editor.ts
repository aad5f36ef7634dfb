import type { UseMutationResult } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { fieldErrorsOf, isCallCanceled, reason } from '../data/api.ts'
import { authorId, registerForm, updateAuthor } from '../data/editing.ts'
import { useSessionUser } from '../data/session.ts'
import { isShortcut, useKeys } from '../keys.ts'
import { stringifySearch } from '../navigation/address.ts'
import { isServerReachable } from '../navigation/screen.ts'
import { closeToasts, notifyError, notifyWarning, updateToasts } from '../toasts.ts'
import type { Draft } from './draft.ts'

/** Shows the server's errors at the fields; the next edit closes the toast with the same message. */
export const showServerErrors = <Values extends object>(draft: Draft<Values>, error: unknown) =>
  draft.showErrors(fieldErrorsOf(error), reason(error))

/** For quiet mutations: shows the server's errors at the fields, or in a toast if they belong to no field. */
export function showServerErrorsOrNotify<Values extends object>(draft: Draft<Values>, error: unknown) {
  const isShown = showServerErrors(draft, error)
  const isShownAtField = Object.keys(fieldErrorsOf(error)).some((name) => name in draft.values)
  if (!isShownAtField && !isCallCanceled(error)) notifyError(reason(error))
  return isShown
}

/** Shows the contract's errors at the fields; returns whether there are none. */
export const reportValidity = <Values extends object>(draft: Draft<Values>, wrong: Record<string, string>): boolean =>
  !draft.showErrors(wrong)

/** If another save was requested during a save, sends what was typed since. */
function useWantedSave<Values extends object>(draft: Draft<Values>, isSaving: boolean, save: () => void) {
  useEffect(() => {
    if (!draft.isSaveWanted || isSaving) return
    draft.wantSave(false)
    if (draft.changed) save()
  })
}

/** Saves a dialog's form by its button or Enter, and asks before the user leaves the page while it has input. */
export function useDialogForm<Values extends object, Body, Answer>(options: {
  open: boolean
  draft: Draft<Values>
  body: () => Body
  /** The contract's errors by field. */
  check?: (body: Body) => Record<string, string>
  mutation: {
    isPending: boolean
    mutate: (body: Body, options: { onSuccess: (answer: Answer) => void; onError: (error: Error) => void }) => void
  }
  /** The field that shows errors belonging to no field. */
  main?: keyof Values & string
  /** Called after every save. */
  onAnswer?: (answer: Answer) => void
  /** Closes the dialog. Not called after a save during which the user has typed; the dialog then stays open. */
  onSaved: (answer: Answer) => void
  /** Shows an error instead of `main`; returns whether a field shows it. */
  onFailed?: (error: Error) => boolean
}): { open: boolean; busy: boolean; onSave: () => void } {
  const { open, draft, check, mutation, main } = options
  const busy = mutation.isPending
  useLeaveGuard(() => open && draft.isChanged())
  const showError = (error: Error) => {
    const fields = fieldErrorsOf(error)
    const hasNoFieldErrors = main !== undefined && Object.keys(fields).length === 0
    return draft.showErrors(hasNoFieldErrors ? { [main]: reason(error) } : fields, reason(error))
  }
  const onSuccess = (answer: Answer) => {
    options.onAnswer?.(answer)
    draft.markSaved()
    if (!draft.isChanged()) options.onSaved(answer)
  }
  const onError = (error: Error) => {
    const isWanted = draft.undoSave()
    const isRefused = (options.onFailed ?? showError)(error)
    // If all wrong values have been changed since, a requested save sends the new ones.
    draft.wantSave(isWanted && !isRefused)
  }
  const onSave = () => {
    if (busy) return draft.wantSave(true)
    const body = options.body()
    if (!reportValidity(draft, check?.(body) ?? {})) return
    draft.beginSave()
    mutation.mutate(body, { onSuccess, onError })
  }
  useWantedSave(draft, busy, () => open && onSave())
  return { open, busy, onSave }
}

const missingFields = 'Missing fields:'
export const warnOfMissing = (missing: readonly string[]) => notifyWarning(missingFields, missing)
const closeMissingToast = () => closeToasts(({ message }) => message === missingFields)

export function useMissingToast(missing: readonly string[]) {
  useEffect(() => (missing.length > 0 ? updateToasts(missingFields, missing) : closeMissingToast()))
  useEffect(() => closeMissingToast, [])
}

/** The form state that its buttons need. */
export type Editor = {
  changed: boolean
  missing: readonly string[]
  busy: boolean
  /** Whether the record already exists, so that without changes there is nothing to save. */
  isSaved: boolean
  save: () => void
}

/** Saves a page's form by its button or Ctrl+S, and asks before the user leaves unsaved changes. */
export function useEditor<Values extends object, Body, Answer>(options: {
  draft: Draft<Values>
  /** The labels of required fields that are empty. */
  missing: readonly string[]
  /** Whether something else prevents saving; the callback itself informs the user. */
  isBlocked?: () => boolean
  body: () => Body
  /** The contract's errors by field; may fetch the contract. */
  check: (body: Body) => Record<string, string> | Promise<Record<string, string>>
  mutation: UseMutationResult<Answer, Error, Body>
  /** Saving creates a record. A repeated save would create a second one, so it only reopens the first one's page. */
  once?: true
  onSaved: (answer: Answer) => void
  onFailed?: (error: unknown) => void
}): Editor & { send: (body: Body) => Promise<void> } {
  const { draft, missing, mutation } = options
  // The server validates too, so a contract that can't be loaded doesn't prevent saving.
  const issuesIn = async (body: Body) => {
    try {
      return await options.check(body)
    } catch {
      return {}
    }
  }
  const send = async (body: Body) => {
    if (draft.isSavingNow()) {
      draft.wantSave(true)
      if (options.once && mutation.isSuccess) options.onSaved(mutation.data)
      return
    }
    if (missing.length > 0) return warnOfMissing(missing)
    if (options.isBlocked?.()) return
    const author = authorId()
    draft.beginSave()
    const wrong = await issuesIn(body)
    // A user who has signed in as someone else meanwhile has to save again.
    const isOtherUser = author !== undefined && authorId() !== author
    const isRefused = draft.showErrors(wrong)
    if (isOtherUser || Object.keys(wrong).length > 0) {
      draft.undoSave()
      // If all wrong values have been changed since, save again with the new ones.
      return draft.wantSave(!isOtherUser && !isRefused)
    }
    mutation.mutate(body, {
      onSuccess: (answer) => {
        options.onSaved(answer)
        // Has an effect only if an edit made elsewhere prevented this save.
        draft.undoSave()
      },
      onError: (error) => {
        draft.undoSave()
        options.onFailed?.(error)
        showServerErrors(draft, error)
      },
    })
  }
  const save = () => void send(options.body())
  useWantedSave(draft, draft.isSaving, save)
  // Loads the contract while the user fills in the form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(() => {
    if (draft.changed) void issuesIn(options.body())
  }, [draft.changed])
  useLeaveGuard(draft.isChanged)
  useSaveKey(save)
  return { changed: draft.changed, missing, busy: draft.isSaving, isSaved: !options.once, save, send }
}

const question = 'You have unsaved changes. Leave this page?'

type Place = { pathname: string; search: Record<string, unknown> }
/** Other search parameters are another place, such as another record under the same path. */
const isAt = (a: Place, b: Place) =>
  a.pathname === b.pathname && stringifySearch(a.search) === stringifySearch(b.search)

/** Keeps unsaved changes on screen if the session ends. */
export function useUnsaved(isChanged: () => boolean) {
  const user = useSessionUser()
  const latest = useRef(isChanged)
  // Registers once: registering on each render would drop the author in between.
  useEffect(() => registerForm(() => latest.current()), [])
  useEffect(() => {
    latest.current = isChanged
    updateAuthor(user)
  })
}

/** Asks before the user leaves unsaved changes, and keeps them on screen if the session ends. */
export function useLeaveGuard(isChanged: () => boolean) {
  useUnsaved(isChanged)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isAt(current, next) || !isChanged()) return false
      // Don't ask if the next screen can't be loaded anyway.
      if (!(await isServerReachable())) return true
      // A save may have ended meanwhile.
      return isChanged() && !confirm(question)
    },
    enableBeforeUnload: isChanged,
  })
}

const useSaveKey = (save: () => void) =>
  useKeys((event) => {
    if (!isShortcut(event, 's')) return
    event.preventDefault()
    save()
  })
