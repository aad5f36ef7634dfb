import { hidden, isHarmless, scrub } from '../../outbound/message/scrub.ts'
import { type HerokuEvent, parseEvent } from './event.ts'
import { cut } from './limits.ts'

/** Fields with values to hide: signed links, certificates, keys, settings, commands with what was typed, people. */
const secretName =
  /^(?:output[_-]?stream[_-]?url|attach[_-]?url|command|config|env|pass|pwd|auth)$|keys?$|(?:config|env)[_-]?vars|cert|secret|signature|token|passw|passphrase|credential|authorization|cookie|e[_-]?mail/i

/** The most bytes of a stored payload. */
export const mostStored = 20 * 1024
/** What the marks of something left out may take of that. */
const reserve = 2 * 1024
/** The longest text, and the longest of a payload that is too big. */
const longest = 2_000
const longestIfBig = 600
const deepest = 12
const leftOut = '[left out]'

type Fields = Readonly<Record<string, unknown>>

const isNested = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * An event as it may be stored and shown: JSON of at most 20 KB, with secrets and people hidden.
 * It makes the same message as the original; the actor stays only if the entry shows authors.
 */
export function redactPayload(raw: unknown, { showActor }: { showActor: boolean }): string {
  const actor = showActor ? actorOf(raw) : undefined
  const concealed = conceal(raw, 0)
  const shown = actor && isNested(concealed) ? { ...concealed, actor } : concealed
  const text = JSON.stringify(shown)
  return Buffer.byteLength(text) <= mostStored ? text : abridge(shown)
}

function actorOf(raw: unknown): HerokuEvent['actor'] | undefined {
  const event = parseEvent(raw)
  return 'problem' in event ? undefined : event.actor
}

/** The value without secrets and people. Copies only what changes, which is little of most events. */
function conceal(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return concealText(value)
  if (!isNested(value)) return value
  if (depth === deepest) return leftOut
  return Array.isArray(value) ? concealList(value, depth + 1) : concealFields(value, depth + 1)
}

const concealText = (text: string): string =>
  text.length <= longest && isHarmless(text) ? text : cut(scrub(text), longest).toWellFormed()

function concealList(list: readonly unknown[], depth: number): readonly unknown[] {
  const concealed = list.map((item) => conceal(item, depth))
  return concealed.some((item, index) => item !== list[index]) ? concealed : list
}

function concealFields(fields: Fields, depth: number): Fields {
  let changed: Record<string, unknown> | undefined
  let renames = false
  for (const name of Object.keys(fields)) {
    const { isSecret, written } = nameOf(name)
    const value = fields[name]
    const concealed = isSecret && value !== null ? hidden : conceal(value, depth)
    renames ||= written !== name
    if (concealed === value) continue
    changed ??= { ...fields }
    changed[name] = concealed
  }
  const all = changed ?? fields
  return renames ? Object.fromEntries(Object.entries(all).map(([name, value]) => [nameOf(name).written, value])) : all
}

type Name = { written: string; isSecret: boolean }
const mostNames = 2_000
const names = new Map<string, Name>()

/** How a field's name is written. Heroku uses the same few in every event, so they are cached. */
function nameOf(name: string): Name {
  const before = names.get(name)
  if (before) return before
  const seen = { written: cut(scrub(name), 100).toWellFormed(), isSecret: secretName.test(name) }
  if (name.length <= 100 && names.size < mostNames) names.set(name, seen)
  return seen
}

const known = new Set(
  'id action resource event include published_at status state name version webhook_metadata actor data app'.split(' '),
)
const rankOf = (name: string, value: unknown): number => (known.has(name) ? 0 : 2) + (isNested(value) ? 1 : 0)

/** What is too big, as JSON: first the fields that Heroku documents, and values before objects, since they say what it is about. */
function abridge(concealed: unknown): string {
  let left = mostStored - reserve
  const spend = (json: string, bytes = Buffer.byteLength(json)): string => {
    left -= Math.min(left, bytes + 2)
    return left > 0 ? json : JSON.stringify(leftOut)
  }
  const writeList = (list: readonly unknown[]): string => {
    let items = ''
    for (const item of list) {
      if (left === 0) break
      items += `${items && ','}${writeOne(item)}`
    }
    return `[${items}]`
  }
  const writeFields = (fields: Fields): string => {
    const inOrder = Object.keys(fields).toSorted(
      (one, other) => rankOf(one, fields[one]) - rankOf(other, fields[other]),
    )
    let written = ''
    for (const name of inOrder) {
      if (left === 0) break
      written += `${written && ','}${spend(JSON.stringify(name))}:${writeOne(fields[name])}`
    }
    return `{${written}}`
  }
  const writeOne = (value: unknown): string => {
    if (typeof value === 'string') return spend(JSON.stringify(cut(value, longestIfBig)))
    if (!isNested(value)) return spend(JSON.stringify(value ?? null))
    left -= Math.min(left, brackets)
    return Array.isArray(value) ? writeList(value) : writeFields(value)
  }
  return writeOne(concealed)
}
const brackets = 4
