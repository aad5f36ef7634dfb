import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const path = `substr(about, instr(about, '/') + 1)`
const rest = `substr(${path}, instr(${path}, '/') + 1)`
const repository = {
  sqlite: `case when instr(${path}, '/') > 0 and instr(${rest}, '/') > 0
    then substr(${path}, 1, instr(${path}, '/') + instr(${rest}, '/') - 1) else ${path} end`,
  postgres: `rtrim(split_part(about, '/', 2) || '/' || split_part(about, '/', 3), '/')`,
} as const

/** An entry is about its page's repository. */
export const repositories = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`update entry set about = ${repository[kind]} where tool = 'ghmdinvalidator' and about like '%/%'`)
      .execute(db)
  },
})
