import { useEffect, useRef, useState } from 'react'
import { withdraw } from '../toasts.ts'

/** The state of a form: values, errors of the server or the contract by field, and whether anything was changed. */
export type Draft<Values extends object> = {
  values: Values
  errors: Readonly<Record<string, string>>
  changed: boolean
  /** Returns the current value of `changed`, for guards that outlive a render. */
  isChanged: () => boolean
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void
  /** Replaces all values; they count as unchanged and have no errors. */
  replace(values: Values): void
  /** Discards the changes, so that the form shows the saved values again. */
  reset(): void
  /** To be called once the values of this render are saved: what was typed since stays, as a change of those. */
  markSaved(): void
  /** Shows errors at their fields; `toast` is the message of a toast to withdraw with the next edit. */
  refuse(errors: Record<string, string>, toast?: string): void
}

/** Errors but those of this field and its parts. */
const without = (errors: Record<string, string>, field: string) =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => name !== field && !name.startsWith(`${field}.`)))

/** Merges what was typed over `before` with the values that are saved now. */
export type Merge<Values> = (typed: Values, before: Values, saved: Values) => Values

/** Keeps what the user typed over the saved values, which may change meanwhile. */
export function useDraft<Values extends object>(saved: Values, merge: Merge<Values> = followSaved): Draft<Values> {
  const [typed, setTyped] = useState<{ values: Values; over: Values }>()
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [changed, setChanged] = useState(false)
  const touched = useRef(false)
  const last = useRef(typed)
  useEffect(() => {
    last.current = typed
  }, [typed])
  const toast = useRef<string>(undefined)
  const merged = (from: typeof typed) => (from ? merge(from.values, from.over, saved) : saved)
  const withdrawToast = () => {
    const shown = toast.current
    if (shown) withdraw(({ kind, message }) => kind === 'danger' && message === shown)
    toast.current = undefined
  }
  const mark = (now: boolean) => {
    touched.current = now
    setChanged(now)
  }
  const fill = (next: typeof typed) => {
    mark(false)
    withdrawToast()
    setTyped(next)
    setErrors({})
  }
  return {
    values: merged(typed),
    errors,
    changed,
    isChanged: () => touched.current,
    set: (name, value) => {
      mark(true)
      withdrawToast()
      setTyped((before) => ({ values: { ...merged(before), [name]: value }, over: saved }))
      setErrors((now) => without(now, name))
    },
    replace: (values) => fill({ values, over: saved }),
    reset: () => fill(undefined),
    markSaved: () => {
      if (last.current === typed) return fill(undefined)
      const sent = merged(typed)
      setTyped((now) => now && { values: merged(now), over: sent })
    },
    refuse: (next, message) => {
      if (message !== toast.current) withdrawToast()
      toast.current = message
      setErrors(next)
    },
  }
}

/** The typed values; those that are the same as saved before follow what is saved now. */
export function followSaved<Values extends object>(typed: Values, before: Values, saved: Values): Values {
  const next = { ...typed }
  for (const name in saved) if (isSame(typed[name], before[name])) next[name] = saved[name]
  return next
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
