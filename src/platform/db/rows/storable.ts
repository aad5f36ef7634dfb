/** What PostgreSQL takes in no text: U+0000, and half of a character that UTF-16 writes as two. */
const unstorable = /\\u(?:0000|d[89a-f])/

/** Records as JSON that every database takes, whatever text from outside they hold: what cannot be stored becomes U+FFFD. */
export function storableJson(records: readonly object[]): string {
  const json = JSON.stringify(records)
  // JSON escapes just these, so most records are written once.
  return unstorable.test(json) ? JSON.stringify(records, (_key, value: unknown) => storable(value)) : json
}

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
