import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** An empty database of its own on the run's PostgreSQL; `drop` ends whoever is still connected. */
export async function freshPostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const admin = inject('pg')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asAdmin(admin, `create database ${name}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(admin, `drop database if exists ${name} with (force)`) }
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
