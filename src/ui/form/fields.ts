import type { ValueTexts } from './conflict/compare.ts'
import { type Draft, isSame } from './draft.ts'

type Field<Value, Values> = {
  label: string
  blank: Value
  required?: true
  /** Formats its value as text, if the value itself isn't enough. */
  show?: (value: Value, values: Values) => string
}
/** The fields of a form, in the order in which messages list them. */
export type Fields<Values> = { readonly [Name in keyof Values]-?: Field<Values[Name], Values> }

const namesIn = <Values extends object>(fields: Fields<Values>) => Object.keys(fields) as (keyof Values & string)[]

/** The values of a record; fields that it lacks are blank. */
export function valuesOf<Values extends object>(fields: Fields<Values>, record: object): Values {
  const found: Partial<Record<string, unknown>> = { ...record }
  const valueFor = (name: keyof Values & string) => {
    const { blank } = fields[name]
    const value = found[name]
    // A text field shows null as empty text.
    return value === undefined || (value === null && blank === '') ? blank : value
  }
  return Object.fromEntries(namesIn(fields).map((name) => [name, valueFor(name)])) as Values
}

export const blankOf = <Values extends object>(fields: Fields<Values>): Values => valuesOf(fields, {})

/** The labels of required fields that are empty. */
export const missingIn = <Values extends object>(fields: Fields<Values>, values: Values): string[] =>
  namesIn(fields).flatMap((name) => {
    const { label, required } = fields[name]
    return required && String(values[name]).trim() === '' ? [label] : []
  })

export const changesBetween = <Values extends object>(before: Values, now: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isSame(before[name as keyof Values], value)),
  ) as Partial<Values>

/** The values as text, keyed by the labels of their fields. */
export const formatValues = <Values extends object>(fields: Fields<Values>, values: Values): ValueTexts =>
  Object.fromEntries(
    namesIn(fields).map((name) => {
      const { label, show = formatValue } = fields[name]
      return [label, show(values[name], values)]
    }),
  )

function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  return [value].flat().join(', ') || 'None'
}

type Shown<Values extends object> = Pick<Draft<Values>, 'values' | 'errors' | 'set'>

/** Returns the props with which an input shows and changes the form field of this name. */
export const inputsOf =
  <Values extends object>({ values, errors, set }: Shown<Values>) =>
  <Name extends keyof Values & string>(name: Name) => ({
    value: values[name],
    error: errors[name],
    onChange: (value: Values[Name]) => set(name, value),
  })

/** The same, with the label of the field. */
export const labelledInputs =
  <Values extends object>(draft: Shown<NoInfer<Values>>, fields: Fields<Values>) =>
  <Name extends keyof Values & string>(name: Name) => {
    const { label, required } = fields[name]
    return { label, ...(required && { required }), ...inputsOf<Values>(draft)(name) }
  }
