import { type Kysely, sql } from 'kysely'
import { MIGRATION_LOCK_ID, type Migration, Migrator } from 'kysely/migration'
import { lockRows } from '../locks.ts'
import type { Db } from '../open.ts'
import { release01 } from './0.1.ts'
import { programVersionName, release02 } from './0.2.ts'
import { nextRelease } from './next.ts'
import { type Migrations, schemaOf } from './schema.ts'

/** The migrations of the platform, accounts and entries. */
export const ownMigrations: readonly Migrations[] = [release01, release02, nextRelease]

export class NewerDatabase extends Error {
  /** The first migration that is unknown to this version. */
  readonly migration: string
  /** The version of ToolBox that ran it; undefined if the database doesn't contain it. */
  readonly version: string | undefined
  constructor(migration: string, version?: string) {
    super(`The database was created by a newer ToolBox (${migration}).`)
    this.migration = migration
    this.version = version
  }
}

/** Returns a migrator of these lists for this version of ToolBox. Throws if two migrations have the same name. */
export function migratorOf(lists: readonly Migrations[], version: string) {
  const all = lists.flatMap((list) => Object.entries(list)).sort(([a], [b]) => (a < b ? -1 : 1))
  const names: readonly string[] = all.map(([name]) => name)
  const twice = names.find((name, index) => name === names[index + 1])
  if (twice) throw new Error(`Two migrations are called ${twice}.`)

  return {
    /** All migrations of this version, oldest first. */
    names,

    /** The first pending migration; undefined if there is none or the database is new. Throws NewerDatabase. */
    async nextFor(db: Db): Promise<string | undefined> {
      const done = await knownIn(db, names)
      return done.length === 0 ? undefined : names.find((name) => !done.includes(name))
    },

    /** Brings the schema up to date, even while other instances do. Throws the error of a failed migration. */
    async migrate(db: Db): Promise<void> {
      const done = await knownIn(db, names)
      if (done.length === names.length) return
      const migrations = Object.fromEntries(
        all.map(([name, make]) => [name, withVersionRecord(name, make(schemaOf(db.kind)), version)]),
      )
      const q = db.q.withTables<LockTable>()
      await ensureLockRow(q)
      await q.transaction().execute(async (tx) => {
        await lockRows(db, tx.selectFrom(lockTable).select('id')).execute()
        const migrator = new Migrator({
          db: tx,
          provider: { getMigrations: async () => migrations },
          migrationTableName: 'migration',
          migrationLockTableName: lockTable,
        })
        const { error } = await migrator.migrateToLatest()
        if (error) throw error
      })
    },

    /** Whether exactly the migrations of this version have run. */
    async isMigrated(db: Db): Promise<boolean> {
      const done = await migrationsIn(db)
      return done.length === names.length && names.every((name) => done.includes(name))
    },
  }
}

const lockTable = 'migration_lock'
type LockTable = { [lockTable]: { id: string } }

/** Creates the row that a migration locks, as Kysely would. */
async function ensureLockRow(q: Kysely<LockTable>) {
  if ((await rowsIfTableExists(q.selectFrom(lockTable).select('id'))).length > 0) return
  // If two instances create the table at once, PostgreSQL rejects one. The insert shows whether the table exists.
  const refused = await sql`create table if not exists ${sql.table(lockTable)}
    (id varchar(255) not null primary key, is_locked integer not null default 0)`
    .execute(q)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  try {
    const row = { id: MIGRATION_LOCK_ID }
    await q
      .insertInto(lockTable)
      .values(row)
      .onConflict((on) => on.doNothing())
      .execute()
  } catch (error) {
    throw refused ?? error
  }
}

/** A migration that also records which version ran it, in the same transaction, once there is a table for that. */
const withVersionRecord = (name: string, migration: Migration, version: string): Migration => ({
  async up(db) {
    await migration.up(db)
    if (name >= programVersionName)
      await sql`insert into migration_version (name, version) values (${name}, ${version})`.execute(db)
  },
})

/** Returns the migrations that have run on a database. Throws NewerDatabase if any is not in `names`. */
async function knownIn(db: Db, names: readonly string[]): Promise<string[]> {
  const done = await migrationsIn(db)
  const unknown = done.filter((name) => !names.includes(name)).sort()[0]
  if (unknown) throw new NewerDatabase(unknown, await versionThatRan(db, unknown))
  return done
}

async function versionThatRan(db: Db, migration: string): Promise<string | undefined> {
  const [row] = await rowsIfTableExists(
    db.q
      .withTables<{ migration_version: { name: string; version: string } }>()
      .selectFrom('migration_version')
      .select('version')
      .where('name', '=', migration),
  )
  return row?.version
}

async function migrationsIn(db: Db): Promise<string[]> {
  const rows = await rowsIfTableExists(
    db.q.withTables<{ migration: { name: string } }>().selectFrom('migration').select('name'),
  )
  return rows.map(({ name }) => name)
}

/** Returns no rows if the table doesn't exist yet. */
async function rowsIfTableExists<Row>(query: { execute(): Promise<Row[]> }): Promise<Row[]> {
  try {
    return await query.execute()
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

const isMissingTable = (error: unknown) =>
  error instanceof Error && (Object(error).code === '42P01' || error.message.startsWith('no such table'))
