import { dayNames } from '../../../../ui/form/quiet/quiet-hours.ts'
import { zoneHere } from '../../../../ui/format-time.ts'
import type { Requests } from './requests.ts'

/** Quiet hours in a few words; the zone only where it is not this one. */
export function quietWords(quiet: Requests['quiet']): string {
  if (quiet === null) return 'Off'
  const { days, from, to, zone } = quiet
  const on = days.length === dayNames.length ? '' : ` on ${days.map((day) => dayNames[day - 1]).join(', ')}`
  return `${from} to ${to}${on}${zone === zoneHere() ? '' : ` (${zone.replaceAll('_', ' ')})`}`
}

export function requestWords({ method, headers }: Pick<Requests, 'method' | 'headers'>): string {
  return [method, ...headers.map(({ name, value }) => `${name}: ${value || 'not set'}`)].join(', ')
}

/** What an answer must be, in the middle of a sentence. */
export function successWords({ statuses, text, absent }: NonNullable<Requests['expect']>): string {
  return [
    statuses === undefined ? 'any status below 400' : `status ${statuses}`,
    ...(text === undefined ? [] : [`with “${shortened(text)}”`]),
    ...(absent === undefined ? [] : [`without “${shortened(absent)}”`]),
  ].join(', ')
}

export const answerWords = (expect: NonNullable<Requests['expect']>): string =>
  successWords(expect).replace(/^./, (first) => first.toUpperCase())

const longest = 60
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** What differs from the usual; empty if nothing does. */
export function advancedWords({ quiet, method, headers, expect }: Requests): string {
  const count = headers.length === 1 ? '1 header' : `${headers.length} headers`
  return [
    ...(quiet === null ? [] : [`Quiet ${quietWords(quiet)}`]),
    ...(method === 'GET' ? [] : [method]),
    ...(headers.length === 0 ? [] : [count]),
    ...(expect === null ? [] : [answerWords(expect)]),
  ].join(' · ')
}
