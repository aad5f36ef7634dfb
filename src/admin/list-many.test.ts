import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { browser, createSignedInPerson } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import type { ListedUser } from './contract.ts'

const many = 2_500

test.each(bothDialects)('the list returns all 2,500 users, newest first, on %s', async (dialect) => {
  const box = await toolbox(dialect)
  const { screen } = await createSignedInPerson(box, { name: 'boss', roles: { Admin: 1 } })
  const people = Array.from({ length: many }, (_, n) => ({
    id: `id-${n}`,
    name: `Ada Lovelace ${n}`,
    email: `ada${n}@example.com`,
    roles: JSON.stringify({ Admin: 0, Tools: n % 3 }),
    at: new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString(),
  }))
  const columns = { id: 'text', name: 'text', email: 'text', roles: 'text', at: 'text' } as const
  const at = dialect === 'sqlite' ? sql`at` : sql`at::timestamptz`
  const yes = dialect === 'sqlite' ? sql`1` : sql`true`
  await sql`insert into users (id, name, email, email_verified, status, tags, roles, created_at, updated_at)
    select id, name, email, ${yes}, 2, '["Verified"]', roles, ${at}, ${at}
    from ${box.db.rows('people', columns, people)} where true`.execute(box.db.q)

  const { status, body } = await screen.get('/api/v1/admin/users')
  expect([status, body.length]).toEqual([200, many + 1])
  const [newest, ...rest] = body as ListedUser[]
  expect(newest!.name).toBe('boss')
  expect(rest.map((one) => [one.id, one.email, one.roles.Tools, one.createdAt])).toEqual(
    people.toReversed().map((one) => [one.id, one.email, JSON.parse(one.roles).Tools, Date.parse(one.at)]),
  )
  await box.close()
})

test('the list is compressed for a client that accepts gzip', async () => {
  const box = await toolbox('sqlite')
  const { session, screen } = await createSignedInPerson(box, { name: 'boss', roles: { Admin: 2 } })
  for (let n = 0; n < 20; n++)
    await screen.post('/api/v1/admin/user', { email: `ada${n}@example.com`, name: `Ada ${n}` })
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  const answer = await box.app.inject({ url: '/api/v1/admin/users', cookies: session.cookie, headers })
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect((await browser(box.app, '192.0.2.1', session.cookie).get('/api/v1/admin/users')).body).toHaveLength(21)
  await box.close()
})
