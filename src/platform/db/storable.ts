import { HttpError } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'

/** Characters that PostgreSQL accepts in no text, as escaped in JSON: U+0000 and lone surrogates. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** Serializes JSON that every database accepts: U+FFFD replaces characters that can't be stored. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  // JSON escapes these characters, so most values are serialized only once.
  return unstorable.test(json)
    ? JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part))
    : json
}

const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** The same for text that may be JSON. */
export function storableText(text: string): string {
  const plain = storable(text)
  if (!unstorable.test(plain)) return plain
  try {
    return storableJson(JSON.parse(plain))
  } catch {
    return plain
  }
}

export const notStorable = 'Remove invalid characters, such as U+0000.'

/** Throws a 400 if a value contains text that not every database can store, or is too deeply nested to serialize. */
export function requireStorable(value: object): void {
  try {
    if (JSON.stringify(value) === storableJson(value)) return
  } catch (error) {
    if (error instanceof RangeError) throw new HttpError(400, 'This is nested too deeply.')
    throw error
  }
  throw new HttpError(400, notStorable)
}

/** An instant in a column of Better Auth: ISO text in SQLite, timestamptz in PostgreSQL. `db.timestamp` creates one. */
export type Timestamp = string | Date

export const instantOf = (at: Timestamp): Instant => new Date(at).getTime()
