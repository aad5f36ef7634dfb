import { type Migration, Migrator } from 'kysely/migration'
import { first } from './migrations/0001-first.ts'
import { people } from './migrations/0002-people.ts'
import { purges } from './migrations/0003-purges.ts'
import { badges } from './migrations/0004-badges.ts'
import { givenPasswords } from './migrations/0005-given-passwords.ts'
import { relay } from './migrations/0006-relay.ts'
import { relayHeld } from './migrations/0007-relay-held.ts'
import { badgeJournal } from './migrations/0008-badge-journal.ts'
import { plannedAt } from './migrations/0009-planned-at.ts'
import { changedBy } from './migrations/0010-changed-by.ts'
import { unreadableViews } from './migrations/0011-unreadable-views.ts'
import { adminLevel } from './migrations/0012-admin-level.ts'
import { jobsByKind } from './migrations/0013-jobs-by-kind.ts'
import { setupLinks } from './migrations/0014-setup-links.ts'
import { nextTurn } from './migrations/0016-next-turn.ts'
import { eventOrder } from './migrations/0017-event-order.ts'
import type { Db } from './open.ts'

/** By name, in order; never edited after a release. */
const migrations = (kind: Db['kind']): Record<string, Migration> => ({
  '0001-first': first(kind),
  '0002-people': people(kind),
  '0003-purges': purges(kind),
  '0004-badges': badges(kind),
  '0005-given-passwords': givenPasswords(kind),
  '0006-relay': relay(kind),
  '0007-relay-held': relayHeld(),
  '0008-badge-journal': badgeJournal(kind),
  '0009-planned-at': plannedAt(kind),
  '0010-changed-by': changedBy(),
  '0011-unreadable-views': unreadableViews(kind),
  '0012-admin-level': adminLevel(kind),
  '0013-jobs-by-kind': jobsByKind(),
  '0014-setup-links': setupLinks(kind),
  '0016-next-turn': nextTurn(kind),
  '0017-event-order': eventOrder(kind),
})
/** Every migration this program knows, oldest first. */
export const migrationNames: readonly string[] = Object.keys(migrations('sqlite'))

/** The database holds what only a newer program knows. */
export class NewerDatabase extends Error {
  /** One that this program does not know. */
  readonly migration: string
  constructor(migration: string) {
    super(`The database was created by a newer ToolBox (${migration}).`)
    this.migration = migration
  }
}

/** Brings the schema up to date; several instances may do it at once. Throws what went wrong. */
export async function migrate(db: Db): Promise<void> {
  const unknown = (await migrationsIn(db)).find((name) => !migrationNames.includes(name))
  if (unknown) throw new NewerDatabase(unknown)
  const migrator = new Migrator({
    db: db.q,
    provider: { getMigrations: async () => migrations(db.kind) },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

/** Whether every migration this program knows has run, and none it does not know. */
export async function isMigrated(db: Db): Promise<boolean> {
  const done = await migrationsIn(db)
  return done.length === migrationNames.length && migrationNames.every((name) => done.includes(name))
}

async function migrationsIn(db: Db): Promise<string[]> {
  try {
    const rows = await db.q
      .withTables<{ migration: { name: string } }>()
      .selectFrom('migration')
      .select('name')
      .execute()
    return rows.map(({ name }) => name)
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

const isMissingTable = (error: unknown) =>
  error instanceof Error && (Object(error).code === '42P01' || error.message.startsWith('no such table'))
