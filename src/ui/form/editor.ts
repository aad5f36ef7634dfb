import type { UseMutationResult } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isKeptBack, reason, refusedFields } from '../data/api.ts'
import { authorId, followForm, updateAuthor } from '../data/editing.ts'
import { useSessionUser } from '../data/session.ts'
import { isShortcut, useKeys } from '../keys.ts'
import { stringifySearch } from '../navigation/address.ts'
import { isServerThere } from '../navigation/screen.ts'
import { amend, complain, warn, withdraw } from '../toasts.ts'
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
export const passes = <Values extends object>(draft: Draft<Values>, wrong: Record<string, string>): boolean =>
  !draft.refuse(wrong)

/**
 * Saves the form of a dialog by its button or Enter, if the contract accepts it. What is typed stays if the session ends
 * while the dialog is open.
 */
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
  /** The field at which an error stands that concerns none. */
  main?: keyof Values & string
  onSaved: (answer: Answer) => void
}): { open: boolean; busy: boolean; onSave: () => void } {
  const { open, draft, check, mutation, main, onSaved } = options
  useUnsaved(() => open && draft.isChanged())
  const onError = (error: Error) => {
    const fields = refusedFields(error)
    const isAboutNone = main !== undefined && Object.keys(fields).length === 0
    draft.refuse(isAboutNone ? { [main]: reason(error) } : fields, reason(error))
  }
  const onSave = () => {
    if (mutation.isPending) return
    const body = options.body()
    if (passes(draft, check?.(body) ?? {})) mutation.mutate(body, { onSuccess: onSaved, onError })
  }
  return { open, busy: mutation.isPending, onSave }
}

const missingFields = 'Missing fields:'
export const warnOfMissing = (missing: readonly string[]) => warn(missingFields, missing)
const withdrawMissing = () => withdraw(({ message }) => message === missingFields)

export function useMissingToast(missing: readonly string[]) {
  useEffect(() => (missing.length > 0 ? amend(missingFields, missing) : withdrawMissing()))
  useEffect(() => withdrawMissing, [])
}

/** What the buttons of a form need. */
export type Editor = {
  changed: boolean
  missing: readonly string[]
  busy: boolean
  /** Whether the record is there already, so that without changes there is nothing to save. */
  isSaved: boolean
  save: () => void
}

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
  /** The save makes a record: another one would make a second, so it only opens the page of the first again. */
  once?: true
  onSaved: (answer: Answer) => void
  onFailed?: (error: unknown) => void
}): Editor & { send: (body: Body) => Promise<void> } {
  const { draft, missing, mutation } = options
  // The server checks as well, so a contract that can't be fetched prevents nothing.
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
    // A user who has signed in as somebody else meanwhile has to save again.
    const isOther = author !== undefined && authorId() !== author
    const isRefused = draft.refuse(wrong)
    if (isOther || Object.keys(wrong).length > 0) {
      draft.undoSave()
      // What was wrong is another value by now, which that save was meant for as well.
      return draft.wantSave(!isOther && !isRefused)
    }
    mutation.mutate(body, {
      onSuccess: (answer) => {
        options.onSaved(answer)
        // It was not saved if somebody else has edited the record.
        draft.undoSave()
      },
      onError: (error) => {
        draft.undoSave()
        options.onFailed?.(error)
        refuse(draft, error)
      },
    })
  }
  const save = () => void send(options.body())
  // What was typed while a save was under way goes with the next one.
  useEffect(() => {
    if (!draft.isSaveWanted || draft.isSaving) return
    draft.wantSave(false)
    if (draft.changed) save()
  })
  // Fetches the contract while the form is filled in.
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
/** Another record under the same path is another place. */
const isAt = (a: Place, b: Place) =>
  a.pathname === b.pathname && stringifySearch(a.search) === stringifySearch(b.search)

/** Keeps unsaved changes on screen if the session ends. */
export function useUnsaved(isChanged: () => boolean) {
  const user = useSessionUser()
  const latest = useRef(isChanged)
  // Once for all renders: the author would be forgotten between two of them.
  useEffect(() => followForm(() => latest.current()), [])
  useEffect(() => {
    latest.current = isChanged
    updateAuthor(user)
  })
}

/** Asks before the user leaves unsaved changes by a link or by closing the tab. */
function useLeaveGuard(isChanged: () => boolean) {
  useUnsaved(isChanged)
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
const useSaveKey = (save: () => void) =>
  useKeys((event) => {
    if (!isShortcut(event, 's')) return
    event.preventDefault()
    save()
  })
