import * as z from 'zod/mini'
import type { Instant } from '../../../shared/time.ts'
import { maybe } from '../event/event.ts'
import { cut, scrub } from '../event/text.ts'

/** Control characters, and those that change the direction of the text. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** On one line, with nothing that Discord would render, link or take for a mention. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unseen, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\*_~|`[\]<>]/g, '\\$&')
    .replace(/^[#+-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
    .replace(/@(?=everyone|here|[!&\d])/gi, '@\u200b')

/** An escaped text as Discord shows it. */
export const plain = (text: string): string => text.replace(/\\(.)/g, '$1').replaceAll('@\u200b', '@')

const longest = 500

/** A text of an event, without secrets and escaped for a message. */
export const wordsOf = (text: string): string => escaped(cut(scrub(text), longest))

/** A text of an event that is safe in a message; cards get no other. */
export const Words = maybe(
  z.pipe(
    z.string(),
    z.transform((text: string) => wordsOf(text) || undefined),
  ),
)
export const Count = maybe(z.int())

/** The time between two instants: `48 s`, `3 min 12 s`, `1 h 4 min`; undefined below a second. */
export function took(from: Instant | undefined, to: Instant | undefined): string | undefined {
  if (from === undefined || to === undefined || to - from < 1_000) return undefined
  const total = Math.floor((to - from) / 1_000)
  const [h, min, s] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60]
  if (h > 0) return joined([h, 'h'], [min, 'min'])
  return min > 0 ? joined([min, 'min'], [s, 's']) : `${s} s`
}

const joined = (...parts: [number, string][]) =>
  parts
    .filter(([count]) => count > 0)
    .map((part) => part.join(' '))
    .join(' ')

/** `old → new`, or only the new value. */
export const change = (before: string | number | undefined, now: string | number | undefined): string | undefined =>
  before === undefined || now === undefined || before === now ? now?.toString() : `${before} → ${now}`
