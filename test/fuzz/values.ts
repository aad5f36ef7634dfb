import fc from 'fast-check'
import type { Schema } from './operations.ts'

/** Existing or otherwise useful values by field name: ids, emails, URLs. */
export type Known = Readonly<Record<string, readonly string[]>>

const prototypeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
]

export const times: Known = Object.fromEntries(
  ['createdAt', 'lastRun', 'lastUsageTimestamp'].map((key) => [`filter[${key}]`, ['2026', '11/2026', '22/11/2026']]),
)

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  // The texts that most often break databases, encoders and objects.
  fc.constantFrom('\0', 'a\0b', '\ud800', '__proto__', ''),
  fc.constantFrom(
    ' ',
    'x\udfff\ud800y',
    '\u202e\u0000',
    '\r\nX-Injected: 1',
    '%',
    '%00',
    '%ED%A0%80',
    "' or 1=1 --",
    '"; drop table users; --',
    '#{1}{{7*7}}',
    '../../../../etc/passwd',
    '<script>alert(1)</script>',
    'a'.repeat(10_000),
    '🦄'.repeat(5_000),
    '\u0301'.repeat(2_000),
    'ﷺ'.repeat(500),
    '1e400',
    '-0',
    'NaN',
    'null',
    'undefined',
    '[object Object]',
    'http://[::ffff:169.254.169.254]/',
    'http://127.0.0.1:22/',
    'javascript:alert(1)',
    ...prototypeNames,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 300 }),
)

const nastyNumber = fc.oneof(
  fc.constantFrom(-1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 2 ** 63, 1e21, 1e308, -1e308, 5e-324, 8.64e15 + 1),
  fc.double({ noNaN: true }),
)

/** Hostile values of any type, regardless of the schema. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  nastyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(nastyText, nastyNumber, fc.constant(null)), { maxLength: 4 }),
  fc.constantFrom<unknown>([], {}, [[]], [{}], { $gt: '' }, deep(200), Array(5_000).fill(0), wide(2_000)),
  fc.dictionary(fc.oneof(fc.constantFrom(...prototypeNames), fc.string({ maxLength: 8 })), nastyText, { maxKeys: 4 }),
)

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)]
}
function wide(keys: number) {
  return Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, index]))
}

export function fitting(schema: Schema, knownValues: Known, name = ''): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one, knownValues, name)))
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type }, knownValues, name)))
  if (schema.type === 'string') return textOf(schema, knownValues[name])
  if (schema.type === 'integer' || schema.type === 'number')
    return fc.integer({
      min: Math.max(schema.minimum ?? -5, -(2 ** 31)),
      max: Math.min(schema.maximum ?? 100, 2 ** 31 - 1),
    })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array')
    return fc.array(fitting(schema.items ?? {}, knownValues, name), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
  if (schema.type === 'object') return objectOf(schema, knownValues)
  return nasty
}

function textOf(
  { pattern, allOf, maxLength = 60 }: Schema,
  knownValues: readonly string[] | undefined,
): fc.Arbitrary<string> {
  const form = pattern ?? allOf?.at(-1)?.pattern
  const generated = (form && matching(form)) || fc.string({ maxLength: Math.min(maxLength, 60) })
  return knownValues && knownValues.length > 0
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...knownValues) }, generated)
    : generated
}

/** Generates texts that match this pattern; undefined for a pattern that fast-check doesn't support. */
function matching(form: string): fc.Arbitrary<string> | undefined {
  try {
    // fast-check would search for seconds to match these classes.
    const quick = form.replaceAll(/\[\^\\p\{Cc\}[^\]]*\]|\\P\{Cc\}/g, '[ -~\u00a0-\u0600]')
    return fc.stringMatching(new RegExp(quick, 'u'))
  } catch {
    return undefined
  }
}

function objectOf({ properties = {}, required = [] }: Schema, knownValues: Known): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => [name, fitting(field, knownValues, name)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: required.filter((name) => name in properties) })
}

/** Generates nearly valid objects: one field is wrong, missing or extra, or the whole object is wrapped in an array. */
export const nearly = (schema: Schema, knownValues: Known): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fitting(schema, knownValues),
      fc.nat(),
      nasty,
      fc.constantFrom('replace', 'remove', 'add', 'wrap', 'prototype'),
    )
    .map(([value, at, other, mutation]) => {
      if (mutation === 'wrap' || typeof value !== 'object' || value === null) return [value]
      const names = Object.keys(value)
      const name = names[at % Math.max(1, names.length)] ?? 'id'
      if (mutation === 'add') return { ...value, [`extra${at % 3}`]: other }
      // As an own property, as JSON.parse creates it.
      if (mutation === 'prototype')
        return Object.defineProperty({ ...value }, '__proto__', { value: other, enumerable: true })
      const { [name as never]: _, ...rest } = value as Record<string, unknown>
      return mutation === 'remove' ? rest : { ...rest, [name]: other }
    })
