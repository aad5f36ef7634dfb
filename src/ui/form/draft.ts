import { useEffect, useRef, useState } from 'react'
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
  /** Takes over what was saved elsewhere meanwhile, where nothing else was typed. */
  follow(before: Values, after: Values, merge?: Merge<Values>): void
  /** Puts errors beside their fields; `told` is the toast that says the same until something is edited. */
  refuse(errors: Record<string, string>, told?: string): void
}

type Merge<Values> = (typed: Values, before: Values, after: Values) => Values

/** Holds a form's values from these on. */
export function useDraft<Values extends object>(initial: Values): Draft<Values> {
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [changed, setChanged] = useState(false)
  const touched = useRef(false)
  const told = useRef<string>(undefined)
  const mended = () => {
    const over = told.current
    if (over) withdraw(({ kind, message }) => kind === 'danger' && message === over)
    told.current = undefined
  }
  const mark = (now: boolean) => {
    touched.current = now
    setChanged(now)
  }
  return {
    values,
    errors,
    changed,
    isChanged: () => touched.current,
    set: (name, value) => {
      mark(true)
      mended()
      setValues((before) => ({ ...before, [name]: value }))
      setErrors(({ [name]: _gone, ...others }) => others)
    },
    replace: (next) => {
      mark(false)
      mended()
      setValues(next)
      setErrors({})
    },
    follow: (before, after, merge = followed) => setValues((typed) => merge(typed, before, after)),
    refuse: (next, message) => {
      if (message !== told.current) mended()
      told.current = message
      setErrors(next)
    },
  }
}

/** Keeps a form at what is saved as long as nobody types something else. */
export function useFollow<Values extends object>({ follow }: Draft<Values>, saved: Values, merge?: Merge<Values>) {
  const known = useRef(saved)
  useEffect(() => {
    const before = known.current
    if (isSame(before, saved)) return
    known.current = saved
    follow(before, saved, merge)
  })
}

/** The values as typed, with those that are as they were saved before as they are saved now. */
export function followed<Values extends object>(typed: Values, before: Values, after: Values): Values {
  const next = { ...typed }
  for (const name in after) if (isSame(typed[name], before[name])) next[name] = after[name]
  return next
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
