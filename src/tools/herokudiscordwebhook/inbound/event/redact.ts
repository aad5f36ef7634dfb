import { hidden, isHarmless, scrub } from '../../outbound/message/scrub.ts'
import { parseEvent } from './event.ts'
import { cut } from './limits.ts'

/** Fields with values to hide: signed links, certificates, keys, settings, commands with what was typed, people. */
const secretName =
  /^(?:output[_-]?stream[_-]?url|attach[_-]?url|command|config|env|pass|pwd|auth)$|keys?$|(?:config|env)[_-]?vars|cert|secret|signature|token|passw|passphrase|credential|authorization|cookie|e[_-]?mail/i

/** The most bytes of a stored payload. */
export const mostStored = 20 * 1024
/** What the marks of something left out, and an actor, may take of that. */
const reserve = 2 * 1024
const deepest = 12
const leftOut = JSON.stringify('[left out]')
const concealed = JSON.stringify(hidden)

type Fields = Readonly<Record<string, unknown>>
/** How to cut a payload: how long a text may be, and which fields come first. */
type Bounds = { text: number; order: (fields: Fields) => readonly string[] }
const whole: Bounds = { text: 2_000, order: Object.keys }
/** For a payload that is too big: first the fields that Heroku documents, and values before objects: they say what it is about. */
const shortFirst: Bounds = {
  text: 600,
  order: (fields) =>
    Object.keys(fields).toSorted((one, other) => rankOf(one, fields[one]) - rankOf(other, fields[other])),
}
const known = new Set(
  'id action resource event include published_at status state name version webhook_metadata actor data app'.split(' '),
)

const rankOf = (name: string, value: unknown): number => (known.has(name) ? 0 : 2) + (isNested(value) ? 1 : 0)

const isNested = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * An event as it may be stored and shown: JSON of at most 20 KB, with secrets and people hidden.
 * It makes the same message as the original; the actor stays only if the entry shows authors.
 */
export function redactPayload(raw: unknown, { showActor }: { showActor: boolean }): string {
  const actor = showActor ? actorOf(raw) : undefined
  const inFull = write(raw, actor, whole)
  return inFull.complete ? inFull.text : write(raw, actor, shortFirst).text
}

function actorOf(raw: unknown): string | undefined {
  const event = parseEvent(raw)
  return 'problem' in event || event.actor === null ? undefined : JSON.stringify(event.actor)
}

/** The value as JSON without secrets, cut to what there is room for; `complete` if that is all of it. */
function write(raw: unknown, actor: string | undefined, { text: longest, order }: Bounds) {
  let left = mostStored - reserve
  const spend = (json: string, bytes = json.length): string => {
    left -= Math.min(left, bytes + 2)
    return left > 0 ? json : leftOut
  }
  const writeText = (text: string): string => {
    if (text.length <= longest && isHarmless(text)) return spend(`"${text}"`)
    const json = JSON.stringify(cut(scrub(text), longest).toWellFormed())
    return spend(json, Buffer.byteLength(json))
  }
  const writeList = (list: readonly unknown[], depth: number): string => {
    let items = ''
    for (const item of list) {
      if (left === 0) break
      items += `${items && ','}${writeOne(item, depth)}`
    }
    return `[${items}]`
  }
  const writeFields = (fields: Fields, depth: number): string => {
    let written = ''
    // Over the names alone: with pairs of names and values, all of this takes a quarter longer.
    for (const name of order(fields)) {
      if (left === 0) break
      const value = fields[name]
      const { json, bytes, isSecret } = nameOf(name)
      const start = `${written && ','}${spend(json, bytes)}:`
      if (depth === 1 && name === 'actor' && actor !== undefined) written += start + actor
      else if (isSecret && value !== null) written += start + spend(concealed)
      else written += start + writeOne(value, depth)
    }
    return `{${written}}`
  }
  const writeOne = (value: unknown, depth: number): string => {
    if (typeof value === 'string') return writeText(value)
    if (!isNested(value)) return spend(JSON.stringify(value ?? null))
    if (depth === deepest) return spend(leftOut)
    left -= Math.min(left, brackets)
    return Array.isArray(value) ? writeList(value, depth + 1) : writeFields(value, depth + 1)
  }
  const text = writeOne(raw, 0)
  return { text, complete: left > 0 }
}
const brackets = 4

type Name = { json: string; bytes: number; isSecret: boolean }
const mostNames = 2_000
const names = new Map<string, Name>()

/** How a field's name is written. Heroku uses the same few in every event, so they are cached. */
function nameOf(name: string): Name {
  const before = names.get(name)
  if (before) return before
  const json = JSON.stringify(cut(scrub(name), 100).toWellFormed())
  const seen = { json, bytes: Buffer.byteLength(json), isSecret: secretName.test(name) }
  if (name.length <= 100 && names.size < mostNames) names.set(name, seen)
  return seen
}
