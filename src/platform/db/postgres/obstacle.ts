import { sql } from 'kysely'
import type { Queries } from '../open.ts'

type Found = {
  role: string
  database: string
  schema: string | null
  encoding: string
  isStandby: boolean
  isReadOnly: boolean
  mayCreate: boolean | null
  /** The role that the tables belong to, if ours isn't a member of it. */
  owner: string | null
}

/** Looks at PostgreSQL before anything is changed there. Answers why ToolBox can't work with it and what to do; undefined if it can. */
export async function obstacleIn(q: Queries): Promise<string | undefined> {
  const { rows } = await sql<Found>`select current_user as role, current_database() as database,
    current_schema() as schema, current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
    current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
    has_schema_privilege(current_schema(), 'create') as "mayCreate",
    (select pg_get_userbyid(relowner) from pg_class where relname = 'migration' and relkind = 'r'
      and relnamespace = to_regnamespace(quote_ident(current_schema())) and not pg_has_role(relowner, 'usage')) as owner`.execute(
    q,
  )
  const { role, database, schema, encoding, isStandby, isReadOnly, mayCreate, owner } = rows[0]!
  if (isStandby) return 'DATABASE_URL leads to a standby, which only reads. Set it to the primary server.'
  if (isReadOnly)
    return `PostgreSQL lets ${role} only read in the database ${database}. Set default_transaction_read_only to off for the role or the database, or use another role.`
  if (encoding !== 'UTF8')
    return `The database ${database} stores text as ${encoding}. Create one with encoding 'UTF8' template template0, ${asRecipeSays}.`
  if (schema === null)
    return `No schema on the search_path of ${role} exists in the database ${database}. Create one for it, ${asRecipeSays}.`
  if (!mayCreate)
    return `The role ${role} may not create tables in the schema ${schema} of ${database}. Make it the owner of the database, ${asRecipeSays}.`
  if (owner)
    return `The tables in ${database} belong to ${owner}, and ${role} may not change them. Make ${role} their owner, ${asRecipeSays}.`
  if (await sharesSessions(q))
    return 'DATABASE_URL leads through a pooler in transaction mode, such as PgBouncer. Set DATABASE_URL_DIRECT to the same database without it.'
  return undefined
}

const asRecipeSays = 'as docs/scale.md says'

/** Whether a connection has another session for each transaction, and another connection may get it. */
const sharesSessions = (q: Queries): Promise<boolean> =>
  q.connection().execute((one) =>
    q.connection().execute(async (other) => {
      const sessions: number[] = []
      for (const each of [one, other, one, other]) sessions.push(await sessionOf(each))
      const [first, second, third, fourth] = sessions
      return first === second || first !== third || second !== fourth
    }),
  )

async function sessionOf(q: Queries): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(q)
  return rows[0]!.pid
}
