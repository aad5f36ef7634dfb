import type { SettingsOf } from '../../../entries/contract.ts'
import { dayNames } from '../../../ui/form/quiet-hours.ts'
import { zoneHere } from '../../../ui/format-time.ts'
import type { keepalive } from '../contract.ts'

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

/** Quiet hours in a few words; the zone only where it is not this one. */
export function quietLabel(quiet: Requests['quiet']): string {
  if (quiet === null) return 'Off'
  const { days, from, to, zone } = quiet
  const on = days.length === dayNames.length ? '' : ` on ${days.map((day) => dayNames[day - 1]).join(', ')}`
  return `${from} to ${to}${on}${zone === zoneHere() ? '' : ` (${zone.replaceAll('_', ' ')})`}`
}

export function requestLabel({ method, headers }: Pick<Requests, 'method' | 'headers'>): string {
  return [method, ...headers.map(({ name, value }) => `${name}: ${value || 'not set'}`)].join(', ')
}

/** What an answer must be, in the middle of a sentence. */
export function successLabel({ statuses, text, absent }: NonNullable<Requests['expect']>): string {
  return [
    statuses === undefined ? 'any status below 400' : `status ${statuses}`,
    ...(text === undefined ? [] : [`with “${shortened(text)}”`]),
    ...(absent === undefined ? [] : [`without “${shortened(absent)}”`]),
  ].join(', ')
}

export const answerLabel = (expect: NonNullable<Requests['expect']>): string =>
  successLabel(expect).replace(/^./, (first) => first.toUpperCase())

/** `31/12/2026`: a day without a time, which is the same everywhere. */
export const dayLabel = (day: string): string => day.split('-').reverse().join('/')

const longest = 60
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** How it asks, what it expects and when it rests, in one line. */
export function advancedLabel({ quiet, method, headers, expect }: Requests): string {
  const count = headers.length === 1 ? '1 header' : `${headers.length || 'no'} headers`
  return [method, count, successLabel(expect ?? {}), quiet && `quiet ${quietLabel(quiet)}`].filter(Boolean).join(' · ')
}
