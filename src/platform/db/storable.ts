/** What PostgreSQL accepts in no text: U+0000 and lone surrogates. */
const unstorable = /\\u(?:0000|d[89a-f])/

/** Records as JSON that every database accepts, whatever text from outside they contain: U+FFFD replaces what can't be stored. */
export function storableJson(records: readonly object[]): string {
  const json = JSON.stringify(records)
  // JSON escapes exactly these characters, so most records are serialized only once.
  return unstorable.test(json) ? JSON.stringify(records, (_key, value: unknown) => storable(value)) : json
}

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
