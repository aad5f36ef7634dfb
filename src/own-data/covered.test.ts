import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, type Dialect } from '../../test/support/database/databases.ts'
import { createSignedInPerson } from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'

/** The part of the export that has such rows, or why none does; and what happens to them when the user is deleted. */
type Coverage = { part: string } | { why: string }
type Fate = 'gone' | 'released' | 'kept'

/** Every column that refers to a user. */
const columns: Record<string, Coverage & { fate: Fate }> = {
  'access_request.user_id': { part: 'accessRequest', fate: 'gone' },
  'api_key.user_id': { part: 'apiKeys', fate: 'gone' },
  'audit.actor_id': { part: 'activity', fate: 'kept' },
  'audit.target_id': { part: 'activity', fate: 'kept' },
  'badge.owner_id': { part: 'badges', fate: 'released' },
  'channel.user_id': { part: 'channels', fate: 'gone' },
  'entry.changed_by': { part: 'activity', fate: 'kept' },
  'entry.owner_id': { part: 'entries', fate: 'gone' },
  'inbox_group.user_id': { part: 'inbox', fate: 'gone' },
  'invite.created_by': { part: 'activity', fate: 'kept' },
  'invite_use.user_id': { part: 'activity', fate: 'gone' },
  'known_device.user_id': { part: 'knownDevices', fate: 'gone' },
  'known_network.user_id': { part: 'knownDevices', fate: 'gone' },
  'mail.user_id': { why: 'It has nothing but the email, and is kept for a day.', fate: 'gone' },
  'notification.user_id': { part: 'inbox', fate: 'gone' },
  'notification_seen.user_id': { part: 'inbox', fate: 'gone' },
  'passkey.user_id': { part: 'twoStep', fate: 'gone' },
  'provider_links.user_id': { part: 'profile', fate: 'gone' },
  'second_factor.user_id': { part: 'twoStep', fate: 'gone' },
  'sessions.user_id': { part: 'sessions', fate: 'gone' },
  'sign_in_failure.user_id': { part: 'activity', fate: 'kept' },
  'status_page.user_id': { part: 'statusPage', fate: 'gone' },
  'status_slug.user_id': { why: 'It keeps the address of a page that is gone from others, for 30 days.', fate: 'kept' },
  'users.changed_by': { part: 'activity', fate: 'kept' },
}

const samples: Record<string, string> = { roles: '{}', settings: '{}', changes: '[]', scopes: '["read"]' }

type Reference = { table: string; column: string; parent: string; key: string }
/** The foreign keys, by each database's catalog. */
const references: Record<Dialect, ReturnType<typeof sql<Reference>>> = {
  sqlite: sql`select t.name as "table", f."from" as "column", f."table" as parent, f."to" as "key"
    from sqlite_master t, pragma_foreign_key_list(t.name) f where t.type = 'table'`,
  postgres: sql`select c.conrelid::regclass::text as "table", a.attname as "column",
      c.confrelid::regclass::text as parent, b.attname as "key" from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1] where c.contype = 'f'`,
}

describe.each(bothDialects)('every column that refers to a user on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const tables = await box.db.q.introspection.getTables()
  const foreignKeys = (await references[dialect].execute(box.db.q)).rows

  test('is listed in this test, with its part of the export', async () => {
    const named = tables.flatMap(({ name, columns }) =>
      columns.flatMap((column) =>
        /(?:^|_)(?:user|owner|actor|target)_id$|(?:changed|created)_by$/.test(column.name)
          ? `${name}.${column.name}`
          : [],
      ),
    )
    const referring = foreignKeys
      .filter(({ parent }) => parent === 'users')
      .map(({ table, column }) => `${table}.${column}`)
    expect([...new Set([...named, ...referring])].toSorted()).toEqual(Object.keys(columns).toSorted())
    const { properties } = (await box.app.inject('/api/v1/user/export/schema')).json()
    for (const [column, coverage] of Object.entries(columns))
      if ('part' in coverage) expect(Object.keys(properties), column).toContain(coverage.part)
  })

  test('keeps no id of a deleted user, except where intended', async () => {
    const { screen, id } = await createSignedInPerson(box, { roles: { Admin: 0 } })
    for (const [table, column] of Object.keys(columns).map(split)) await insert(table, { [column]: id })
    expect((await screen.delete('/api/v1/user')).status).toBe(200)
    const outcomes = await Promise.all(
      Object.entries(columns).map(async ([name, { fate }]) => [name, (await count(name, id)) > 0, fate === 'kept']),
    )
    expect(outcomes.filter(([, isLeft, isMeant]) => isLeft !== isMeant)).toEqual([])
  })

  const split = (name: string) => name.split('.') as [table: string, column: string]

  async function count(name: string, id: string): Promise<number> {
    const [table, column] = split(name)
    const found = sql<{
      count: number
    }>`select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} = ${id}`
    return Number((await found.execute(box.db.q)).rows[0]?.count)
  }

  /** Inserts a row with these values, and samples in all other required columns; returns the row. */
  async function insert(table: string, values: Record<string, unknown>): Promise<Record<string, unknown>> {
    const row: Record<string, unknown> = { ...values }
    for (const { name, dataType, isNullable, hasDefaultValue } of tables.find((one) => one.name === table)?.columns ??
      []) {
      const isKey = foreignKeys.some(({ parent, key }) => parent === table && key === name)
      if (name in row || (!isKey && (isNullable || hasDefaultValue))) continue
      const to = foreignKeys.find((one) => one.table === table && one.column === name)
      row[name] = to ? (await insert(to.parent, {}))[to.key] : sampleOf(name, dataType)
    }
    const names = Object.keys(row)
    await sql`insert into ${sql.table(table)} (${sql.join(names.map((one) => sql.ref(one)))})
      values (${sql.join(names.map((one) => row[one]))})`.execute(box.db.q)
    return row
  }

  function sampleOf(name: string, type: string): unknown {
    if (/bool/i.test(type)) return box.db.boolean(false)
    if (/time|date/i.test(type)) return box.db.timestamp(box.now())
    if (/int/i.test(type)) return 1
    return samples[name] ?? randomUUID()
  }
})
