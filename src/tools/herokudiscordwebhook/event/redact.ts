import { type HerokuEvent, parseEvent } from './event.ts'
import { hidden, isHarmless, scrub, truncate } from './text.ts'

/** Names of fields with values to hide: signed links, certificates, keys, settings, typed commands, email addresses. */
const secretName =
  /^(?:output[_-]?stream[_-]?url|attach[_-]?url|command|config|env|pass|pwd|auth)$|keys?$|(?:config|env)[_-]?vars|cert|secret|signature|token|passw|passphrase|credential|authorization|cookie|e[_-]?mail/i

export const mostStored = 20 * 1024
/** Bytes of `mostStored` that are reserved for "left out" markers. */
const reserve = 2 * 1024
/** The maximum length of a text, and of a text in a payload that is too big. */
const longest = 2_000
const longestIfBig = 600
const deepest = 12
/** The number of characters of names and values to search: more than fit after any cut. */
const mostRead = 4 * mostStored
const leftOut = '[left out]'

type Fields = Readonly<Record<string, unknown>>

const isNested = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Returns JSON for the same message: at most 20 KB, no secrets or emails, the actor only with `showActor`. */
export function redactPayload(raw: unknown, { showActor }: { showActor: boolean }): string {
  const actor = showActor ? actorOf(raw) : undefined
  const concealed = concealAll(raw)
  const redacted = actor && isNested(concealed) ? { ...concealed, actor } : concealed
  const text = JSON.stringify(redacted)
  return Buffer.byteLength(text) <= mostStored ? text : abridge(redacted)
}

function actorOf(raw: unknown): HerokuEvent['actor'] | undefined {
  const event = parseEvent(raw)
  return 'problem' in event ? undefined : event.actor
}

/** How many characters may still be searched, and the order of fields. */
type Budget = { remaining: number; order: (fields: Fields) => readonly string[] }

/** Redacts the fields in their original order or, if the event is too large, the identifying fields first. */
function concealAll(raw: unknown): unknown {
  const budget: Budget = { remaining: mostRead, order: Object.keys }
  const concealed = conceal(raw, 0, budget)
  return budget.remaining > 0 ? concealed : conceal(raw, 0, { remaining: mostRead, order: bySubject })
}

/** Redacts a value. Copies only what changes, which is little in most events, and drops what exceeds the budget. */
function conceal(value: unknown, depth: number, budget: Budget): unknown {
  budget.remaining -= 2 + (typeof value === 'string' ? Math.min(value.length, longest) : 0)
  if (typeof value === 'string') return concealText(value)
  if (!isNested(value)) return value
  if (depth === deepest) return leftOut
  return Array.isArray(value) ? concealList(value, depth + 1, budget) : concealFields(value, depth + 1, budget)
}

const concealText = (text: string): string =>
  text.length <= longest && isHarmless(text) ? text : truncate(scrub(text), longest).toWellFormed()

function concealList(list: readonly unknown[], depth: number, budget: Budget): readonly unknown[] {
  const concealed: unknown[] = []
  for (const item of list) {
    if (budget.remaining <= 0) return concealed
    concealed.push(conceal(item, depth, budget))
  }
  return concealed.some((item, index) => item !== list[index]) ? concealed : list
}

function concealFields(fields: Fields, depth: number, budget: Budget): Fields {
  const inOrder = budget.order(fields)
  let changed: Record<string, unknown> | undefined
  let renames = false
  let seen = 0
  for (const name of inOrder) {
    if (budget.remaining <= 0) break
    seen += 1
    budget.remaining -= name.length
    const { isSecret, written } = nameOf(name)
    const value = fields[name]
    const concealed = isSecret && value !== null ? hidden : conceal(value, depth, budget)
    renames ||= written !== name
    if (concealed === value) continue
    changed ??= { ...fields }
    changed[name] = concealed
  }
  const all = changed ?? fields
  if (seen === inOrder.length && !renames) return all
  return Object.fromEntries(inOrder.slice(0, seen).map((name) => [nameOf(name).written, all[name]]))
}

type Name = { written: string; isSecret: boolean }
const mostNames = 2_000
const names = new Map<string, Name>()

/** Redacts the name of a field. Names are cached, because Heroku uses the same few in every event. */
function nameOf(name: string): Name {
  const before = names.get(name)
  if (before) return before
  const seen = { written: truncate(scrub(name), 100).toWellFormed(), isSecret: secretName.test(name) }
  if (name.length <= 100 && names.size < mostNames) names.set(name, seen)
  return seen
}

const documentedFields = new Set(
  'id action resource event include published_at status state name version webhook_metadata actor data app'.split(' '),
)
const rankOf = (name: string, value: unknown): number =>
  (documentedFields.has(name) ? 0 : 2) + (isNested(value) ? 1 : 0)

/** Sorts the identifying fields first: those that Heroku documents, and values before objects. */
function bySubject(fields: Fields): readonly string[] {
  const names = Object.keys(fields)
  return [0, 1, 2, 3].flatMap((rank) => names.filter((name) => rankOf(name, fields[name]) === rank))
}

/** Shortens an oversized event to JSON within the limit, with the identifying fields first. */
function abridge(concealed: unknown): string {
  let bytesLeft = mostStored - reserve
  const spend = (json: string, bytes = Buffer.byteLength(json)): string => {
    bytesLeft -= Math.min(bytesLeft, bytes + 2)
    return bytesLeft > 0 ? json : JSON.stringify(leftOut)
  }
  const writeList = (list: readonly unknown[]): string => {
    let items = ''
    for (const item of list) {
      if (bytesLeft === 0) break
      items += `${items && ','}${writeOne(item)}`
    }
    return `[${items}]`
  }
  const writeFields = (fields: Fields): string => {
    let written = ''
    for (const name of bySubject(fields)) {
      if (bytesLeft === 0) break
      written += `${written && ','}${spend(JSON.stringify(name))}:${writeOne(fields[name])}`
    }
    return `{${written}}`
  }
  const writeOne = (value: unknown): string => {
    if (typeof value === 'string') return spend(JSON.stringify(truncate(value, longestIfBig)))
    if (!isNested(value)) return spend(JSON.stringify(value ?? null))
    bytesLeft -= Math.min(bytesLeft, brackets)
    return Array.isArray(value) ? writeList(value) : writeFields(value)
  }
  return writeOne(concealed)
}
const brackets = 4
