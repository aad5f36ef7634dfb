import type { SettingsOf } from '../../../../entries/contract.ts'
import type { keepalive } from '../../contract.ts'

/** What the Advanced part of the form changes. */
export type Requests = Pick<SettingsOf<typeof keepalive>, 'quiet' | 'method' | 'headers' | 'expect'>
type Expect = NonNullable<Requests['expect']>

/** What an answer must be, without what was emptied; null for the usual. */
export function expecting({ statuses, text, absent }: { [Name in keyof Expect]: string | undefined }): Expect | null {
  const expect = { ...(statuses && { statuses }), ...(text && { text }), ...(absent && { absent }) }
  return Object.keys(expect).length === 0 ? null : expect
}

type Errors = Readonly<Record<string, string>>
type Placed<Part extends string> = { [Name in Part]?: string | undefined }

/** What is wrong with quiet hours, by their fields; the server doesn't say with which. */
export function quietErrors(errors: Errors): Placed<'zone' | 'days' | 'from' | 'to'> {
  const [zone, days, from, to] = ['zone', 'days', 'from', 'to'].map((part) => errors[`quiet.${part}`])
  return (zone ?? days ?? from ?? to) ? { zone, days, from, to } : { to: errors.quiet }
}

/** What is wrong with what is expected, by its fields. Of a HEAD the server refuses the texts, and says no more than that. */
export function answerErrors(
  errors: Errors,
  { method, expect }: Pick<Requests, 'method' | 'expect'>,
): Placed<keyof Expect> {
  const [statuses, text, absent] = ['statuses', 'text', 'absent'].map((part) => errors[`expect.${part}`])
  if (statuses ?? text ?? absent) return { statuses, text, absent }
  if (method !== 'HEAD') return { statuses: errors.expect }
  return expect?.text === undefined ? { absent: errors.expect } : { text: errors.expect }
}
