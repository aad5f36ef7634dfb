import { expect, test } from 'vitest'
import { migrationNames } from './migrations.ts'
import { migratorOf, ownMigrations } from './platform/db/migrations/migrate.ts'
import { serverTools } from './server-tools.ts'

const nothing = () => ({ up: async () => {} })

test('migrations run in the order of their names, whichever list contains them', () => {
  expect(migratorOf([{ '0001-a': nothing, '0003-c': nothing }, { '0002-b': nothing }], '1.0.0').names).toEqual([
    '0001-a',
    '0002-b',
    '0003-c',
  ])
  expect(migrationNames).toEqual(expect.arrayContaining(ownMigrations.flatMap((list) => Object.keys(list))))
  for (const { contract, migrations = {} } of serverTools)
    expect(migrationNames, contract.id).toEqual(expect.arrayContaining(Object.keys(migrations)))
})

test('the migrations of the first release keep their names', () => {
  expect(migrationNames.slice(0, 11)).toEqual([
    '0001-first',
    '0002-people',
    '0003-purges',
    '0004-badges',
    '0005-given-passwords',
    '0006-relay',
    '0007-relay-held',
    '0008-badge-journal',
    '0009-planned-at',
    '0010-changed-by',
    '0011-unreadable-views',
  ])
})

test('rejects two migrations with the same name', () => {
  expect(() => migratorOf([{ '0001-a': nothing }, { '0001-a': nothing }], '1.0.0')).toThrow(
    'Two migrations are called 0001-a.',
  )
})
