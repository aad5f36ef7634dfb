import * as z from 'zod'
import { type Env, type Source, variableReader } from './env.ts'

/** A schema that parses variables by NAME: an object schema with a transform, or several joined by `and`. */
export type Variables<T extends object> = z.ZodType<T>

/** A variable as the operator sees it. */
export type FoundVariable = { name: string; text: string | undefined; source: Source }

/** Reads these variables from the environment and `.env`. Returns their values, or all mistakes, one sentence each. */
export function readVariables<T extends object>(variables: Variables<T>, env: Env, folder: string) {
  const readRaw = variableReader(env, folder)
  const fields = fieldsOf(variables)
  const rawVariables = new Map(Object.keys(fields).map((name) => [name, readRaw(name)]))
  const texts = [...rawVariables].map(([name, value]) => [name, value && ('text' in value ? value.text : null)])
  const parsed = variables.safeParse(Object.fromEntries(texts))
  const mistakes = (parsed.error?.issues ?? []).map(({ path: [name], message }) => {
    if (name === undefined) return message
    const value = rawVariables.get(String(name))
    return value && 'mistake' in value ? value.mistake : `${String(name)} ${message}.`
  })
  const found = Object.entries(fields).map(([name, field]): FoundVariable => {
    const value = rawVariables.get(name)
    if (!value) return { name, text: defaultOf(field), source: 'default' }
    return { name, text: 'text' in value ? value.text : value.displayText, source: value.source }
  })
  return { values: parsed.data, mistakes: [...new Set(mistakes)], found }
}

/** Returns a warning for each name that is not one of ours, but one letter away from one. */
export function misspellingWarnings(variables: Variables<object>, names: readonly string[]): string[] {
  const validNames = Object.keys(fieldsOf(variables)).flatMap((name) => [name, `${name}_FILE`])
  return names.flatMap((name) => {
    if (validNames.includes(name)) return []
    const suggestion = validNames.find((one) => isOneEdit(name.toUpperCase(), one))
    return suggestion ? [`${name} is no variable of ToolBox. Is ${suggestion} meant?`] : []
  })
}

/** Whether the texts differ by one letter that is added, removed, changed or swapped with the next one. */
function isOneEdit(one: string, other: string): boolean {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const [a, b] = [one.slice(same), other.slice(same)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return isSwapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)
}

function fieldsOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  if (schema instanceof z.ZodIntersection) return { ...fieldsOf(schema.def.left), ...fieldsOf(schema.def.right) }
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.def.in)
  if (schema instanceof z.ZodObject) return schema.shape
  throw new Error('Variables are an object schema, a transform of one, or several joined by `and`.')
}

const defaultOf = (field: z.core.$ZodType) =>
  field instanceof z.ZodPrefault ? String(field.def.defaultValue) : undefined
