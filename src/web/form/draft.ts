import { useRef, useState } from 'react'

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
  refuse(errors: Record<string, string>): void
}

/** Holds a form's values from these on. */
export function useDraft<Values extends object>(initial: Values): Draft<Values> {
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [changed, setChanged] = useState(false)
  const touched = useRef(false)
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
      setValues((before) => ({ ...before, [name]: value }))
      setErrors(({ [name]: _gone, ...others }) => others)
    },
    replace: (next) => {
      mark(false)
      setValues(next)
      setErrors({})
    },
    refuse: setErrors,
  }
}
