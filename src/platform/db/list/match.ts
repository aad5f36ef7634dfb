import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../open.ts'

type Kind = Pick<Db, 'kind'>
type Text = RawBuilder<unknown>

// Databases agree only about the case of ASCII letters: SQLite folds no others, PostgreSQL depends on its locale. So a
// pattern contains every other letter in both cases. This avoids storing a second copy of each text.

/** A text with its ASCII letters in lower case, for the functions below and for sorting by character code. */
export const lowerCase = (db: Kind, column: Text): Text =>
  db.kind === 'sqlite' ? sql`lower(${column})` : sql`lower(${column} collate "C")`

/** Whether a lower-case text equals this one, ignoring case. */
export const equals = (db: Kind, lower: Text, text: string): RawBuilder<SqlBool> =>
  db.kind === 'sqlite'
    ? sql`${lower} glob ${lettersOf(db, text).join('')}`
    : sql`${lower} ~ ${`^${lettersOf(db, text).join('')}$`}`

export function contains(db: Kind, lower: Text, text: string): RawBuilder<SqlBool> {
  // Not a pattern: 1,000 equal letters would be tried at each of 1,000 positions, taking seconds for 1,000 texts.
  if (isAscii(text)) {
    const wanted = text.toLowerCase()
    return db.kind === 'sqlite' ? sql`instr(${lower}, ${wanted}) > 0` : sql`strpos(${lower}, ${wanted}) > 0`
  }
  const letters = lettersOf(db, text).join('')
  return db.kind === 'sqlite' ? sql`${lower} glob ${`*${letters}*`}` : sql`${lower} ~ ${letters}`
}

/** Whether a lower-case text contains these letters in this order, ignoring case and anything in between. */
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
