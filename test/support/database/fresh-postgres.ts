import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

type Created = { name: string; url: string; drop: () => Promise<void> }

/** An empty database of its own on the run's PostgreSQL; `drop` ends whoever is still connected. */
export const freshPostgres = (): Promise<Created> => createPostgres(inject('pg'))

/** A new database on this server, empty or a copy of `template`, to which nobody may be connected. */
export async function createPostgres(server: string, template = 'template1'): Promise<Created> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asAdmin(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => asAdmin(server, `drop database if exists ${name} with (force)`) }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
