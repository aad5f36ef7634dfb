import { Socket } from 'node:net'
import pg from 'pg'
import { inject } from 'vitest'
import { createPostgres } from './fresh-postgres.ts'

/** `client` stays connected: each new connection reads the catalogue again, which takes longer than to empty the tables. */
type Database = Awaited<ReturnType<typeof createPostgres>> & { client: pg.Client; schema: string }

/** What tests may have changed besides rows. */
const describeSchema = `
  select md5(string_agg(part, ',' order by part)) as schema from (
    select 'relation ' || oid || relname || relnatts from pg_class where relnamespace = 'public'::regnamespace
    union all select 'column ' || attrelid || attname from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all select 'trigger ' || oid || tgname from pg_trigger where not tgisinternal
    union all select 'function ' || oid || proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'migration ' || name from migration
  ) as parts (part)`

/** Triggers and foreign keys are off meanwhile: everything goes, in any order. */
const deleteRows = `
  do $$ declare name text; begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'migration%' loop
      execute format('delete from %I', name);
    end loop;
    perform setval(format('%I', sequencename), 1, false) from pg_sequences;
  end $$`

const spare: Database[] = []

/** A migrated database without rows. Making one takes 90 ms of a core, so the tests of a process use them in turn. */
export async function migratedPostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const database = spare.pop() ?? (await create())
  const { url, client, schema, drop } = database
  return {
    url,
    drop: async () => {
      // Only a superuser may switch triggers off, and a test may have cut this connection too: then the next gets a new one.
      const left = await emptied(client).catch(() => undefined)
      if (left === schema) return void spare.push(database)
      await client.end()
      await drop()
    },
  }
}

async function create(): Promise<Database> {
  const created = await createPostgres(inject('pg'), inject('migrated').postgres)
  // Nobody has to close it for the process to end.
  const client = new pg.Client({ connectionString: created.url, stream: () => new Socket().unref() })
  client.on('error', () => {})
  await client.connect()
  return { ...created, client, schema: await schemaOf(client) }
}

/** Ends whoever else is connected and deletes all rows. Resolves to the schema that is left. */
async function emptied(client: pg.Client) {
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
    ${deleteRows}`,
  )
  return schemaOf(client)
}

const schemaOf = async (client: pg.Client) =>
  (await client.query<{ schema: string }>(describeSchema)).rows[0]?.schema ?? ''
