import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runSql } from '../support/database/fresh-postgres.ts'
import type { Postgres } from '../support/database/start-postgres.ts'

/** Creates an empty database on this server, optionally stored in a folder, and returns its URL. */
export async function createDatabase(postgres: Postgres, folder: string | undefined): Promise<string> {
  const url = new URL(postgres.url)
  url.pathname = `/faults_${Date.now().toString(36)}`
  const name = nameOf(url.href)
  if (folder) {
    const space = join(folder, 'space')
    mkdirSync(space)
    // When tests run as root, the server runs as this user.
    execFileSync('chown', ['postgres', space])
    await asAdmin(postgres, `create tablespace "${name}" location '${space}'`)
  }
  await asAdmin(postgres, `create database "${name}" ${folder ? `tablespace "${name}"` : ''}`)
  return url.href
}

export async function dropDatabase(postgres: Postgres, url: string): Promise<void> {
  await asAdmin(postgres, `drop database if exists "${nameOf(url)}" with (force)`)
  await asAdmin(postgres, `drop tablespace if exists "${nameOf(url)}"`)
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

const asAdmin = ({ url }: Postgres, statement: string) => runSql(url, statement)
