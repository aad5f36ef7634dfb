import { parseEvent } from './event.ts'
import { cut } from './limits.ts'
import { hidden, scrub } from './message/scrub.ts'

/** Fields whose values are nobody's business: signed links, certificates, keys, settings, commands with what was typed into them, people. */
const secretName =
  /^(?:output_stream_url|attach_url|command|config|config_vars|env|env_vars)$|(?:^|_)keys?$|cert|secret|token|passw|credential|authorization|cookie|api_?key|e-?mail/i

/** Bytes of a payload as it is stored. */
export const mostStored = 20 * 1024
/** What the marks of something left out, and an actor, may take beside that. */
const reserve = 2 * 1024
const deepest = 12
const leftOut = '[left out]'

type Bounds = { text: number; order: (entries: [string, unknown][]) => [string, unknown][] }
const whole: Bounds = { text: 2_000, order: (entries) => entries }
/** Of what is too big, the short things first, then what Heroku is known to send: they say what it is about. */
const shortFirst: Bounds = {
  text: 600,
  order: (entries) => entries.toSorted((one, other) => rankOf(one) - rankOf(other)),
}
const known = new Set(['webhook_metadata', 'actor', 'data', 'app'])

function rankOf([name, value]: [string, unknown]): number {
  if (!isNested(value)) return 0
  return known.has(name) ? 1 : 2
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * An event as it may be stored and shown: JSON of at most 20 KB in which secrets and people are hidden.
 * It makes the same message as what Heroku posted; the actor stays only where the entry shows who did it.
 */
export function redactPayload(raw: unknown, { showActor }: { showActor: boolean }): string {
  const inFull = write(raw, whole)
  const { value } = inFull.complete ? inFull : write(raw, shortFirst)
  return JSON.stringify(showActor && isNested(value) ? { ...value, ...actorOf(raw) } : value)
}

function actorOf(raw: unknown) {
  const event = parseEvent(raw)
  return 'problem' in event || event.actor === null ? {} : { actor: event.actor }
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? null))

/** The value without secrets, as much of it as there is room for, and whether that is all of it. */
function write(raw: unknown, { text, order }: Bounds): { value: unknown; complete: boolean } {
  let left = mostStored - reserve
  const spend = (value: unknown) => {
    const size = bytes(value) + 2
    if (size > left) left = 0
    else left -= size
    return left > 0 ? value : leftOut
  }
  const writeAll = <T>(all: T[], one: (item: T) => void) => {
    for (const item of all) {
      if (left === 0) return
      one(item)
    }
  }
  const writeOne = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return spend(cut(scrub(value), text).toWellFormed())
    if (!isNested(value)) return spend(value)
    if (depth === deepest) return spend(leftOut)
    spend('') // its brackets
    if (Array.isArray(value)) {
      const list: unknown[] = []
      writeAll(value, (item) => list.push(writeOne(item, depth + 1)))
      return list
    }
    const fields: [string, unknown][] = []
    writeAll(order(Object.entries(value)), ([name, held]) => {
      const shown = spend(cut(scrub(name), 100).toWellFormed())
      fields.push([String(shown), secretName.test(name) && held !== null ? spend(hidden) : writeOne(held, depth + 1)])
    })
    return Object.fromEntries(fields)
  }
  const value = writeOne(raw, 0)
  return { value, complete: left > 0 }
}
