import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { putRelease } from '../../test/fixtures/released.ts'
import { freshDatabase } from '../../test/support/database/databases.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { storableText } from '../platform/db/storable.ts'
import { writeRowsOf } from './export.ts'
import { replaceAll } from './import.ts'
import { withDraft } from './restore.ts'

const unit = fc.constantFrom('a', '\0', '\\', '"', "'", '\\u0000', '\\ud83d', '{}', 'é', '😀', '\n', '\u2028', '\u202e')
const texts = fc.sample(fc.string({ unit, minLength: 1 }), { numRuns: 1_000, seed: 7 })
/** Columns that an import parses, rejecting arbitrary text: ToolBox writes them in its own format. */
const isRead = (column: string) => ['users.roles', 'setting.value', 'setting.key', 'badge_day.day'].includes(column)
/** Columns without external text: random ids, references to them, and badge tags, which are plain words. */
const isOurs = (column: string) => /[._]id$/.test(column) || ['badge.tag', 'badge_day.tag'].includes(column)

test('any text in any SQLite column can be moved to PostgreSQL, with a mark for what it cannot store', async () => {
  const folder = temporaryFolder()
  putRelease('release-0.2', folder)
  await withDraft(folder, async () => {})
  const { db, drop } = await freshDatabase('postgres')
  onTestFinished(drop)
  const columns = await sql<{ table: string; name: string }>`select table_name as "table", column_name as name
    from information_schema.columns where table_schema = current_schema() and data_type = 'text'
    and is_generated = 'NEVER' and table_name not like 'migration%' order by 1, 2`.execute(db.q)
  const file = new DatabaseSync(join(folder, 'toolbox.db'))
  file.exec('delete from setting')
  const used = new Set<unknown>()
  const odd = () => {
    const text = `${texts[used.size % texts.length]}${used.size}`
    used.add(text)
    return text
  }
  /** Runs the query and ignores failures, which keys and columns with a fixed set of values cause. */
  const change = (query: string, ...values: SQLInputValue[]): void => {
    try {
      file.prepare(query).run(...values)
    } catch {
      // The test checks afterwards whether the column got its text.
    }
  }
  const isEmpty = (table: string) => !file.prepare(`select 1 from "${table}" limit 1`).get()
  // Each table twice, for tables that refer to rows of other tables.
  for (const table of [...new Set(columns.rows.map(({ table }) => table))].flatMap((name) => [name, name])) {
    // Rows of the audit log can't be changed, so it gets a new one.
    if (!isEmpty(table) && table !== 'audit') continue
    const keys = file.prepare('select "from", "table", "to" from pragma_foreign_key_list(?)').all(table)
    const values = file.prepare('select name, type from pragma_table_xinfo(?) where hidden = 0').all(table)
    const textOrKey = ({ name, type }: Record<string, unknown>) => {
      const key = keys.find(({ from }) => from === name)
      if (key) return file.prepare(`select "${key.to}" as id from "${key.table}" limit 1`).get()?.id ?? null
      return String(type).toLowerCase() === 'text' ? odd() : 1
    }
    const names = values.map(({ name }) => `"${name}"`).join()
    change(`insert into "${table}" (${names}) values (${values.map(() => '?').join()})`, ...values.map(textOrKey))
  }
  const textsIn = ({ table, name }: { table: string; name: string }) =>
    file.prepare(`select distinct "${name}" as text from "${table}"`).all()
  const isPlain = (column: { table: string; name: string }) => {
    const { table, name } = column
    if (isRead(`${table}.${name}`)) return true
    for (const { text = null } of textsIn(column).slice(0, 9))
      change(`update "${table}" set "${name}" = ? where "${name}" is ?`, odd(), text)
    return !textsIn(column).some(({ text }) => used.has(text))
  }
  const plain = columns.rows.filter(isPlain).map(({ table, name }) => `${table}.${name}`)
  expect(plain.filter((column) => !isRead(column) && !isOurs(column))).toEqual([])
  const rows = join(folder, 'rows.jsonl')
  await writeRowsOf(folder, rows)
  const config = readConfig(variables, { APP_SECRET: 'a secret of more than thirty-two characters' }, folder)
  await replaceAll({ db, config }, rows, { isAgreed: true, isBackup: true })
  for (const { table, name } of columns.rows) {
    if (isRead(`${table}.${name}`)) continue
    const before = file.prepare(`select "${name}" as text from "${table}" where "${name}" is not null`).all()
    const after = await sql<{ text: string }>`select ${sql.ref(name)} as text from ${sql.table(table)}
      where ${sql.ref(name)} is not null`.execute(db.q)
    expect(after.rows.map(({ text }) => text).sort(), `${table}.${name}`).toEqual(
      before.map(({ text }) => storableText(String(text))).sort(),
    )
  }
  file.close()
})
