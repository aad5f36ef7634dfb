import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../open.ts'

type Kind = Pick<Db, 'kind'>
type Text = RawBuilder<unknown>

/*
 * Databases agree about the case of ASCII letters only: beyond them SQLite knows no case, and PostgreSQL goes by its
 * locale. So a pattern names every other letter in both cases, and no other copy of the text has to be kept up to date.
 */

/** A text with ASCII letters in lower case, the same on every database: what is matched below, and sorted by its codes. */
export const lowerCase = (db: Kind, column: Text): Text =>
  db.kind === 'sqlite' ? sql`lower(${column})` : sql`lower(${column} collate "C")`

/** Whether a text in lower case is this one, whatever the case. */
export const equals = (db: Kind, lower: Text, text: string): RawBuilder<SqlBool> =>
  db.kind === 'sqlite'
    ? sql`${lower} glob ${lettersOf(db, text).join('')}`
    : sql`${lower} ~ ${`^${lettersOf(db, text).join('')}$`}`

/** Whether a text in lower case contains this one, whatever the case. */
export function contains(db: Kind, lower: Text, text: string): RawBuilder<SqlBool> {
  // A pattern of a thousand equal letters is tried at each of as many places: in 1,000 texts that takes seconds.
  if (isAscii(text)) {
    const wanted = text.toLowerCase()
    return db.kind === 'sqlite' ? sql`instr(${lower}, ${wanted}) > 0` : sql`strpos(${lower}, ${wanted}) > 0`
  }
  const letters = lettersOf(db, text).join('')
  return db.kind === 'sqlite' ? sql`${lower} glob ${`*${letters}*`}` : sql`${lower} ~ ${letters}`
}

/** Whether a text in lower case contains these letters in their order, whatever their case and what is between them. */
export const containsInOrder = (db: Kind, lower: Text, letters: string): RawBuilder<SqlBool> =>
  db.kind === 'sqlite'
    ? sql`${lower} glob ${`*${lettersOf(db, letters).join('*')}*`}`
    : sql`${lower} ~ ${lettersOf(db, letters).join('.*')}`

const lettersOf = ({ kind }: Kind, text: string): string[] =>
  [...text].map((letter) => {
    if (/[A-Z]/.test(letter)) return letter.toLowerCase()
    const cases = new Set([letter, ...[letter.toLowerCase(), letter.toUpperCase()].filter(isOne)])
    if (cases.size > 1 && letter > '\x7f') return `[${[...cases].join('')}]`
    return kind === 'sqlite' ? letter.replace(/[*?[]/, '[$&]') : letter.replace(/[.^$*+?()[\]{}|\\]/, '\\$&')
  })

export const isAscii = (text: string) => [...text].every((letter) => letter <= '\x7f')
const isOne = (text: string) => [...text].length === 1
