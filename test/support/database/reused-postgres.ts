import { Socket } from 'node:net'
import pg from 'pg'
import { inject } from 'vitest'
import { createPostgres } from './fresh-postgres.ts'

/** `client` stays connected: a new connection rereads the catalog, which takes longer than emptying the tables. */
type Database = Awaited<ReturnType<typeof createPostgres>> & { client: pg.Client; schema: string }

/** A fingerprint of everything except rows that tests may have changed. */
const describeSchema = `
  select md5(string_agg(part, ',' order by part)) as schema from (
    select 'relation ' || oid || relname || relnatts from pg_class where relnamespace = 'public'::regnamespace
    union all select 'column ' || attrelid || attname from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all select 'trigger ' || oid || tgname from pg_trigger where not tgisinternal
    union all select 'function ' || oid || proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'migration ' || name from migration
  ) as parts (part)`

/** Deletes all rows with triggers and foreign keys off, so that the order does not matter. */
const deleteRows = `
  do $$ declare name text; begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'migration%' loop
      execute format('delete from %I', name);
    end loop;
    perform setval(format('%I', sequencename), 1, false) from pg_sequences;
  end $$`

const spare: Database[] = []

/** A migrated database without rows. Creating one takes 90 ms of CPU, so the tests of a process reuse them. */
export async function migratedPostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const database = spare.pop() ?? (await create())
  const { url, client, schema, drop } = database
  return {
    url,
    drop: async () => {
      // Fails if the role isn't a superuser, or if a test has cut the connection: then don't reuse the database.
      const currentSchema = await deleteAllRows(client).catch(() => undefined)
      if (currentSchema === schema) return void spare.push(database)
      await client.end()
      await drop()
    },
  }
}

async function create(): Promise<Database> {
  const created = await createPostgres(inject('pg'), inject('migrated').postgres)
  // An unreferenced socket does not keep the process alive.
  const client = new pg.Client({ connectionString: created.url, stream: () => new Socket().unref() })
  client.on('error', () => {})
  await client.connect()
  return { ...created, client, schema: await schemaOf(client) }
}

/** Closes all other connections and deletes all rows. Resolves to the fingerprint of the remaining schema. */
async function deleteAllRows(client: pg.Client) {
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
    ${deleteRows}`,
  )
  return schemaOf(client)
}

const schemaOf = async (client: pg.Client) =>
  (await client.query<{ schema: string }>(describeSchema)).rows[0]?.schema ?? ''
