import { useRef, useState } from 'react'
import { withdraw } from '../toasts.ts'

/** What is being typed: values, what the server or the contract refused by field, and whether anything was touched. */
export type Draft<Values extends object> = {
  values: Values
  errors: Readonly<Record<string, string>>
  changed: boolean
  /** Reads `changed` at this very moment, for guards that outlive a render. */
  isChanged: () => boolean
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void
  /** Puts other values in, unchanged and without complaint. */
  replace(values: Values): void
  /** Forgets what was typed: the form says again what is saved. */
  reset(): void
  /** Puts errors beside their fields; `told` is the toast that says the same until something is edited. */
  refuse(errors: Record<string, string>, told?: string): void
}

/** What a form says: what was typed over `before`, with the rest as it is saved now. */
export type Merge<Values> = (typed: Values, before: Values, saved: Values) => Values

/** Holds what is typed over the values that are saved, which may change meanwhile. */
export function useDraft<Values extends object>(saved: Values, merge: Merge<Values> = followed): Draft<Values> {
  const [typed, setTyped] = useState<{ values: Values; over: Values }>()
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [changed, setChanged] = useState(false)
  const touched = useRef(false)
  const told = useRef<string>(undefined)
  const merged = (from: typeof typed) => (from ? merge(from.values, from.over, saved) : saved)
  const mended = () => {
    const over = told.current
    if (over) withdraw(({ kind, message }) => kind === 'danger' && message === over)
    told.current = undefined
  }
  const mark = (now: boolean) => {
    touched.current = now
    setChanged(now)
  }
  const fill = (next: typeof typed) => {
    mark(false)
    mended()
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
      mended()
      setTyped((before) => ({ values: { ...merged(before), [name]: value }, over: saved }))
      setErrors(({ [name]: _gone, ...others }) => others)
    },
    replace: (values) => fill({ values, over: saved }),
    reset: () => fill(undefined),
    refuse: (next, message) => {
      if (message !== told.current) mended()
      told.current = message
      setErrors(next)
    },
  }
}

/** The values as typed, with those that are as they were saved before as they are saved now. */
export function followed<Values extends object>(typed: Values, before: Values, saved: Values): Values {
  const next = { ...typed }
  for (const name in saved) if (isSame(typed[name], before[name])) next[name] = saved[name]
  return next
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
