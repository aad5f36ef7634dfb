import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** `drop` also drops copies of the database, and closes all remaining connections. */
type Created = { name: string; url: string; drop: () => Promise<void> }

export const freshPostgres = (): Promise<Created> => createPostgres(inject('pg'))

/** Creates a database on this server: empty, or a copy of `template`, which must have no connections. */
export async function createPostgres(server: string, template?: string): Promise<Created> {
  const name = `${template ?? 't'}_${randomBytes(10).toString('hex')}`
  await runSql(server, `create database ${name} template ${template ?? 'template1'}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => dropAll(server, name) }
}

/** A connection to this database by another role, which has no permission except to connect. */
export async function connectUnprivileged(
  url: string,
): Promise<{ client: pg.Client; disconnect: () => Promise<void> }> {
  const name = `neighbour_${randomBytes(10).toString('hex')}`
  await runSql(url, `create role ${name} login password '${name}'`)
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { username: name, password: name }).href,
  })
  await client.connect()
  return {
    client,
    async disconnect() {
      await client.end()
      await runSql(url, `drop role ${name}`)
    },
  }
}

/** Drops this database and all its copies. */
async function dropAll(server: string, template: string): Promise<void> {
  const names = await runSql(
    server,
    `select datname as name from pg_database where starts_with(datname, '${template}')`,
  )
  for (const { name } of names) await runSql(server, `drop database if exists ${name} with (force)`)
}

/** Runs statements on a new connection. */
export async function runSql(url: string, statement: string): Promise<{ name: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<{ name: string }>(statement)).rows
  } finally {
    await client.end()
  }
}
