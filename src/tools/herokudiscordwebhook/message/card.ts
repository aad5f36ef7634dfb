import * as z from 'zod/mini'
import type { Instant } from '../../../shared/time.ts'
import { maybe } from '../event/event.ts'
import { scrub, truncate } from '../event/text.ts'

/** The kind of message, which determines its color. Only `bad` mentions the role. */
type Tone = 'good' | 'bad' | 'busy' | 'quiet' | 'gone'

/** 0xRRGGBB, visibly different on Discord's dark and light backgrounds. */
export const colors: Record<Tone, number> = {
  good: 0x2e9e5b,
  bad: 0xd83c3e,
  busy: 0xe0a100,
  quiet: 0x79589f,
  gone: 0x80848e,
}

/** The content of a message about an event. All of its texts are safe to show. */
export type Card = {
  tone: Tone
  emoji: string
  /** Shown after the name of the app. */
  title: string
  description?: string | undefined
  /** Names and values; facts without a value are omitted. */
  facts: [name: string, value: string | undefined][]
}

export type Head = Pick<Card, 'tone' | 'emoji' | 'title'>

type Verbs = { create: string; update: string; destroy: string }
const verbs: Verbs = { create: 'added', update: 'updated', destroy: 'removed' }

/** The verb for an action: added, updated or removed, unless `own` replaces it. */
export function verbOf(action: string, own: Partial<Verbs> = {}): string {
  const allVerbs = { ...verbs, ...own }
  return action === 'create' || action === 'destroy' ? allVerbs[action] : allVerbs.update
}

export const toneOf = (action: string): Tone => (action === 'destroy' ? 'gone' : 'quiet')

/** Control characters, and characters that change the direction of text. */
const invisibleCharacters = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** Within a link, Discord ignores markdown and would treat a backslash as part of the URL. */
const link = /(https?:\/\/[^\s\\|`[\]<>]+)/i
const escapeMarks = (text: string) =>
  text
    .split(link)
    .map((part, index) => (index % 2 === 1 && URL.canParse(part) ? part : part.replace(/[\\*_~|`[\]<>]/g, '\\$&')))
    .join('')

/** Escapes a text to one line in which Discord finds no markdown and no mention. */
export const escapeMarkdown = (text: string): string =>
  escapeMarks(text.toWellFormed().replace(invisibleCharacters, ' ').replace(/\s+/g, ' ').trim())
    .replace(/^[#+-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
    .replace(/@(?=everyone|here|[!&\d])/gi, '@\u200b')

/** Reverts `escapeMarkdown`: the text as Discord shows it. */
export const unescapeMarkdown = (text: string): string => text.replace(/\\(.)/g, '$1').replaceAll('@\u200b', '@')

const longest = 500

/** Removes secrets from a text of an event, and escapes it for a message. */
export const safeText = (text: string): string => escapeMarkdown(truncate(scrub(text), longest))

/** Parses a text of an event that is safe in a message. Cards contain no other texts of events. */
export const SafeText = maybe(
  z.pipe(
    z.string(),
    z.transform((text: string) => safeText(text) || undefined),
  ),
)
export const Count = maybe(z.int())

/** The time between two instants: `48 s`, `3 min 12 s`, `1 h 4 min`; undefined below a second. */
export function formatDuration(from: Instant | undefined, to: Instant | undefined): string | undefined {
  if (from === undefined || to === undefined || to - from < 1_000) return undefined
  const total = Math.floor((to - from) / 1_000)
  const [h, min, s] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60]
  if (h > 0) return joinParts([h, 'h'], [min, 'min'])
  return min > 0 ? joinParts([min, 'min'], [s, 's']) : `${s} s`
}

const joinParts = (...parts: [number, string][]) =>
  parts
    .filter(([count]) => count > 0)
    .map((part) => part.join(' '))
    .join(' ')

/** `old → new`, or only the new value. */
export const formatChange = (
  before: string | number | undefined,
  now: string | number | undefined,
): string | undefined =>
  before === undefined || now === undefined || before === now ? now?.toString() : `${before} → ${now}`
