import type { SettingsOf } from '../../../entries/contract.ts'
import { dayNames } from '../../../ui/form/quiet-hours.ts'
import { browserZone } from '../../../ui/format-time.ts'
import type { keepalive } from '../contract.ts'

export type AdvancedSettings = Pick<SettingsOf<typeof keepalive>, 'quiet' | 'method' | 'headers' | 'expect'>
type Expect = NonNullable<AdvancedSettings['expect']>

/** The expected response, without emptied fields; null for the default. */
export function toExpect({ statuses, text, absent }: Expect): Expect | null {
  const expect = { ...(statuses && { statuses }), ...(text && { text }), ...(absent && { absent }) }
  return Object.keys(expect).length === 0 ? null : expect
}

type Errors = Readonly<Record<string, string>>
type FieldErrors<Part extends string> = { [Name in Part]?: string | undefined }

/** The errors of quiet hours by field. The server doesn't report which field is wrong. */
export function quietErrors(errors: Errors): FieldErrors<'zone' | 'days' | 'from' | 'to'> {
  const [zone, days, from, to] = ['zone', 'days', 'from', 'to'].map((part) => errors[`quiet.${part}`])
  return (zone ?? days ?? from ?? to) ? { zone, days, from, to } : { to: errors.quiet }
}

/** The errors of the expected response by field. For HEAD, the server rejects the texts without naming the field. */
export function answerErrors(
  errors: Errors,
  { method, expect }: Pick<AdvancedSettings, 'method' | 'expect'>,
): FieldErrors<keyof Expect> {
  const [statuses, text, absent] = ['statuses', 'text', 'absent'].map((part) => errors[`expect.${part}`])
  if (statuses ?? text ?? absent) return { statuses, text, absent }
  if (method !== 'HEAD') return { statuses: errors.expect }
  return expect?.text === undefined ? { absent: errors.expect } : { text: errors.expect }
}

/** A short text for quiet hours, with the time zone only if it isn't the browser's. */
export function quietLabel(quiet: AdvancedSettings['quiet']): string {
  if (quiet === null) return 'Off'
  const { days, from, to, zone } = quiet
  const on = days.length === dayNames.length ? '' : ` on ${days.map((day) => dayNames[day - 1]).join(', ')}`
  return `${from} to ${to}${on}${zone === browserZone() ? '' : ` (${zone.replaceAll('_', ' ')})`}`
}

export function requestLabel({ method, headers }: Pick<AdvancedSettings, 'method' | 'headers'>): string {
  return [method, ...headers.map(({ name, value }) => `${name}: ${value || 'not set'}`)].join(', ')
}

export function successLabel({ statuses, text, absent }: NonNullable<AdvancedSettings['expect']>): string {
  return [
    statuses === undefined ? 'any status below 400' : `status ${statuses}`,
    ...(text === undefined ? [] : [`with “${shorten(text)}”`]),
    ...(absent === undefined ? [] : [`without “${shorten(absent)}”`]),
  ].join(', ')
}

export const answerLabel = (expect: NonNullable<AdvancedSettings['expect']>): string =>
  successLabel(expect).replace(/^./, (first) => first.toUpperCase())

/** Formats a day, which is the same in every time zone: `31/12/2026`. */
export const dayLabel = (day: string): string => day.split('-').reverse().join('/')

const longest = 60
const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

export function advancedLabel({ quiet, method, headers, expect }: AdvancedSettings): string {
  const count = headers.length === 1 ? '1 header' : `${headers.length || 'no'} headers`
  return [method, count, successLabel(expect ?? {}), quiet && `quiet ${quietLabel(quiet)}`].filter(Boolean).join(' · ')
}
