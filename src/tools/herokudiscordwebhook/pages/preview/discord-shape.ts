import type { Instant } from '../../../../shared/time.ts'

const fieldsPerRow = 3

/** Discord puts up to three inline fields side by side; any other has a row to itself. */
export function rowsOf<Field extends { inline?: boolean | undefined }>(fields: readonly Field[]): Field[][] {
  const rows: Field[][] = []
  for (const field of fields) {
    const row = rows.at(-1)
    if (field.inline && row?.[0]?.inline && row.length < fieldsPerRow) row.push(field)
    else rows.push([field])
  }
  return rows
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

/** As Discord writes the time of a message of today. */
export const shortTime = (at: Instant): string => time.format(at)
/** As Discord writes the timestamp of an embed, given as ISO 8601. */
export const footTime = (timestamp: string): string => dayAndTime.format(Date.parse(timestamp))
