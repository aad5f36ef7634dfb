import { type Migration, Migrator } from 'kysely/migration'
import { first } from './migrations/0001-first.ts'
import { people } from './migrations/0002-people.ts'
import { givenPasswords } from './migrations/0005-given-passwords.ts'
import { plannedAt } from './migrations/0009-planned-at.ts'
import { changedBy } from './migrations/0010-changed-by.ts'
import { adminLevel } from './migrations/0012-admin-level.ts'
import { jobsByKind } from './migrations/0013-jobs-by-kind.ts'
import { setupLinks } from './migrations/0014-setup-links.ts'
import { nextTurn } from './migrations/0016-next-turn.ts'
import { claim } from './migrations/0018-claim.ts'
import { lists } from './migrations/0019-lists.ts'
import { knownNetworks } from './migrations/0021-known-networks.ts'
import { proof } from './migrations/0022-proof.ts'
import { secondFactor } from './migrations/0023-second-factor.ts'
import { auditByAge } from './migrations/0024-audit-by-age.ts'
import { auditTrail } from './migrations/0026-audit-trail.ts'
import { health } from './migrations/0027-health.ts'
import { channels } from './migrations/0028-channels.ts'
import { inbox } from './migrations/0029-inbox.ts'
import { statusPages } from './migrations/0036-status-pages.ts'
import type { Db } from './open.ts'

/** Migrations by name, which is the order they run in. Never edited after a release. */
export type Migrations = Readonly<Record<string, (kind: Db['kind']) => Migration>>

/** The migrations of the platform, accounts and entries. */
export const ownMigrations: Migrations = {
  '0001-first': first,
  '0002-people': people,
  '0005-given-passwords': givenPasswords,
  '0009-planned-at': plannedAt,
  '0010-changed-by': changedBy,
  '0012-admin-level': adminLevel,
  '0013-jobs-by-kind': jobsByKind,
  '0014-setup-links': setupLinks,
  '0016-next-turn': nextTurn,
  '0018-claim': claim,
  '0019-lists': lists,
  '0021-known-networks': knownNetworks,
  '0022-proof': proof,
  '0023-second-factor': secondFactor,
  '0024-audit-by-age': auditByAge,
  '0026-audit-trail': auditTrail,
  '0027-health': health,
  '0028-channels': channels,
  '0029-inbox': inbox,
  '0036-status-pages': statusPages,
}

/** A newer version has migrated this database. */
export class NewerDatabase extends Error {
  /** A migration that this version doesn't know. */
  readonly migration: string
  constructor(migration: string) {
    super(`The database was created by a newer ToolBox (${migration}).`)
    this.migration = migration
  }
}

/** Brings a database up to date by all of these lists. Throws if two migrations have the same name. */
export function migratorOf(lists: readonly Migrations[]) {
  const all = lists.flatMap((list) => Object.entries(list)).sort(([a], [b]) => (a < b ? -1 : 1))
  const names: readonly string[] = all.map(([name]) => name)
  const twice = names.find((name, index) => name === names[index + 1])
  if (twice) throw new Error(`Two migrations are called ${twice}.`)

  return {
    /** Every migration this version knows, oldest first. */
    names,

    /** Brings the schema up to date; several instances may do so at once. Throws what went wrong. */
    async migrate(db: Db): Promise<void> {
      const unknown = (await migrationsIn(db)).find((name) => !names.includes(name))
      if (unknown) throw new NewerDatabase(unknown)
      const migrations = Object.fromEntries(all.map(([name, migration]) => [name, migration(db.kind)]))
      const migrator = new Migrator({
        db: db.q,
        provider: { getMigrations: async () => migrations },
        migrationTableName: 'migration',
        migrationLockTableName: 'migration_lock',
      })
      const { error } = await migrator.migrateToLatest()
      if (error) throw error
    },

    /** Whether every migration this version knows has run, and no other. */
    async isMigrated(db: Db): Promise<boolean> {
      const done = await migrationsIn(db)
      return done.length === names.length && names.every((name) => done.includes(name))
    },
  }
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
