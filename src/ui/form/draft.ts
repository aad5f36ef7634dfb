import { useEffect, useRef, useState } from 'react'
import { closeToasts } from '../toasts.ts'
import { forgetPendingInput, pendingInputFor, storePendingInput } from './hand-over.ts'

/** The state of a form: values, errors by field from the server or the contract, and whether anything was changed. */
export type Draft<Values extends object> = {
  values: Values
  errors: Readonly<Record<string, string>>
  changed: boolean
  /** Returns the current value of `changed`, for guards that outlive a render. */
  isChanged: () => boolean
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void
  /** Replaces all values; they count as unchanged and have no errors. */
  replace(values: Values): void
  reset(): void
  /** Call this when the values of this render are sent; anything typed later counts as a change to them. */
  beginSave(): void
  isSaving: boolean
  isSavingNow: () => boolean
  /** Marks the sent values as saved; anything typed since is kept. */
  markSaved(): void
  /** Marks the sent values as not saved: everything typed counts as unsaved again. Returns if a save was requested. */
  undoSave(): boolean
  /** Call this when the sent values have created the record with this id, whose own form then takes over the input. */
  handOver(id: string): void
  /** Whether another save was requested during this one. */
  isSaveWanted: boolean
  wantSave(isWanted: boolean): void
  /** Shows errors at fields unchanged since this render; returns if any. The next edit closes the toast `toast`. */
  showErrors(errors: Record<string, string>, toast?: string): boolean
}

/** Merges input typed on top of `before` with the values that are saved now. */
export type Merge<Values> = (typed: Values, before: Values, saved: Values) => Values

type Typed<Values> = { values: Values; base: Values }
type State<Values> = {
  typed?: Typed<Values> | undefined
  changed: boolean
  /** A save in progress: the values sent, the saved values at that time, and whether the values sent had changes. */
  sent?: { values: Values; base: Values; changed: boolean } | undefined
  /** The id of the record that the sent values have created. */
  createdId?: string
  isSaveWanted: boolean
}
const untouched = { changed: false, isSaveWanted: false }

const withoutField = (errors: Record<string, string>, field: string) =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => name !== field && !name.startsWith(`${field}.`)))

/** The errors of fields that still have the value they were checked with. */
export const errorsOfUnchanged = <Values extends object>(errors: Record<string, string>, sent: Values, now: Values) =>
  Object.fromEntries(
    Object.entries(errors).filter(([name]) => {
      const field = name.split('.', 1)[0] as keyof Values
      return isSame(sent[field], now[field])
    }),
  )

function initialState<Values extends object>(id: string | undefined, saved: Values): State<Values> {
  const pending = pendingInputFor(id)
  if (!pending) return untouched
  const { values, base, changed, isSaveWanted } = pending
  return { changed, isSaveWanted, typed: { values: { ...saved, ...values }, base: { ...saved, ...base } } }
}

/** Keeps the input on top of the saved values. With an id, starts with input left in the form that created it. */
export function useDraft<Values extends object>(
  saved: Values,
  merge: Merge<Values> = mergeWithSaved,
  id?: string,
): Draft<Values> {
  const [state, setState] = useState<State<Values>>(() => initialState(id, saved))
  const [errors, setErrors] = useState<Record<string, string>>({})
  // The latest state, for updates that happen before the next render.
  const live = useRef(state)
  useEffect(() => forgetPendingInput(id), [id])
  const toast = useRef<string>(undefined)
  const baseOf = ({ sent }: State<Values>) => sent?.values ?? saved
  const valuesOf = (of: State<Values>) => (of.typed ? merge(of.typed.values, of.typed.base, baseOf(of)) : baseOf(of))
  const isChanged = ({ changed, sent }: State<Values>) => changed || sent?.changed === true
  const withdrawToast = () => {
    const toastMessage = toast.current
    if (toastMessage) closeToasts(({ kind, message }) => kind === 'danger' && message === toastMessage)
    toast.current = undefined
  }
  const update = (change: Partial<State<Values>>) => {
    const next = { ...live.current, ...change }
    live.current = next
    setState(next)
    const { createdId, changed, isSaveWanted } = next
    if (createdId !== undefined)
      storePendingInput({ id: createdId, values: valuesOf(next), base: baseOf(next), changed, isSaveWanted })
  }
  const clear = () => {
    withdrawToast()
    setErrors({})
  }
  const values = valuesOf(state)
  return {
    values,
    errors,
    changed: isChanged(state),
    isChanged: () => isChanged(live.current),
    set: (name, value) => {
      const now = live.current
      update({ changed: true, typed: { values: { ...valuesOf(now), [name]: value }, base: baseOf(now) } })
      withdrawToast()
      setErrors((before) => withoutField(before, name))
    },
    replace: (values) => {
      update({ changed: false, typed: { values, base: baseOf(live.current) } })
      clear()
    },
    reset: () => {
      update({ ...untouched, typed: undefined, sent: undefined })
      clear()
    },
    beginSave: () => {
      const now = live.current
      const since = now.typed === state.typed ? undefined : { values: valuesOf(now), base: values }
      const sent = { values, base: saved, changed: isChanged(now) }
      update({ typed: since, sent, changed: since !== undefined, isSaveWanted: false })
    },
    isSaving: state.sent !== undefined,
    isSavingNow: () => live.current.sent !== undefined,
    markSaved: () => {
      if (!live.current.sent) return
      update({ sent: undefined })
      clear()
    },
    undoSave: () => {
      const { sent, createdId, isSaveWanted } = live.current
      if (!sent || createdId !== undefined) return false
      const typed = { values: valuesOf(live.current), base: sent.base }
      update({ typed, sent: undefined, changed: isChanged(live.current), isSaveWanted: false })
      return isSaveWanted
    },
    handOver: (id) => {
      const { sent } = live.current
      if (sent) update({ createdId: id, sent: { ...sent, changed: false } })
    },
    isSaveWanted: state.isSaveWanted,
    wantSave: (isSaveWanted) => update({ isSaveWanted }),
    showErrors: (next, message) => {
      if (message !== toast.current) withdrawToast()
      toast.current = message
      const still = errorsOfUnchanged(next, values, valuesOf(live.current))
      setErrors(still)
      return Object.keys(still).length > 0
    },
  }
}

/** The typed values; values equal to those saved before take over what is saved now. */
export function mergeWithSaved<Values extends object>(typed: Values, before: Values, saved: Values): Values {
  const next = { ...typed }
  for (const name in saved) if (isSame(typed[name], before[name])) next[name] = saved[name]
  return next
}

export const isSame = (a: unknown, b: unknown) => jsonOf(a) === jsonOf(b)

/** JSON would write NaN, the value of an emptied number field, as null. */
const jsonOf = (value: unknown) => JSON.stringify(value, (_key, part) => (Number.isNaN(part) ? 'NaN' : part))
