import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { releasedDatabase } from '../../../test/fixtures/released.ts'
import { freshDatabase } from '../../../test/support/database/databases.ts'
import { migrate } from '../../migrations.ts'
import { schemaOf } from '../../platform/db/migrations/schema.ts'
import { badgeJournal, noJournal } from './migrations.ts'

const at = Date.UTC(2026, 0, 5)

test('the migration adds views that a killed server of the first release left in its journal file', async () => {
  const { db, drop } = await releasedDatabase('first-release', 'sqlite')
  const views = () => db.q.selectFrom('badge').select(['tag', 'camo', 'other']).orderBy('tag').execute()
  const docs = { tag: 'docs', camo: 1, other: 0 }
  expect(await views()).toEqual([docs, { tag: 'readme', camo: 1, other: 0 }])
  await migrate(db)
  expect(await views()).toEqual([docs, { tag: 'readme', camo: 1, other: 2 }])
  await drop()
})

test('the migration sets unreadable journal rows aside unchanged and adds the others', async () => {
  const { db, drop } = await freshDatabase('sqlite')
  await badgeJournal(schemaOf('sqlite')).up(db.q)
  const unreadable = [
    [`${at}, 'other', '["a", "b'`, `'["a", "b'`],
    [`${at}, 'other', '{"a": 1}'`, `'{"a": 1}'`],
    [`${at}, 'other', '["a", 5]'`, `'["a", 5]'`],
    [`${at}, 'other', '["a", "b c"]'`, `'["a", "b c"]'`],
    [`${at}, 'other', '[""]'`, `'[""]'`],
    [`${at}, 'other', '["a\\u0000b"]'`, `'["a\\u0000b"]'`],
    [`${at}, 'other', x'00ff'`, "X'00FF'"],
    [`${at}, 'elsewhere', '["c"]'`, `'["c"]'`],
    [`'yesterday', 'other', '["d"]'`, `'["d"]'`],
    [`1.5, 'other', '["e"]'`, `'["e"]'`],
    [`-1, 'other', '["f"]'`, `'["f"]'`],
    [`8640000000000000, 'other', '["g"]'`, `'["g"]'`],
  ]
  const rows = [...unreadable.map(([row]) => row), `${at}, 'camo', '["x", "y", "x"]'`, `${at + 1}, 'other', '["x"]'`]
  await sql`insert into badge_journal (at, source, tags) values ${sql.raw(rows.map((row) => `(${row})`).join())}`.execute(
    db.q,
  )
  await noJournal(schemaOf('sqlite')).up(db.q)
  const aside = await db.q.selectFrom('badge_journal_unreadable').select('tags').orderBy('id').execute()
  expect(aside).toEqual(unreadable.map(([, tags]) => ({ tags })))
  const columns = ['tag', 'camo', 'other', 'created_at', 'last_view'] as const
  expect(await db.q.selectFrom('badge').select(columns).orderBy('tag').execute()).toEqual([
    { tag: 'x', camo: 2, other: 1, created_at: at, last_view: at + 1 },
    { tag: 'y', camo: 1, other: 0, created_at: at, last_view: at },
  ])
  await drop()
})
