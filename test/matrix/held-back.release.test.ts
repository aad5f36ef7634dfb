import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { minutes } from '../../src/shared/time.ts'
import { toolsWithEntries } from '../support/page/screens.ts'
import { createPerson, createSignedInPerson, headersOf } from '../support/people.ts'
import { type Toolbox, toolbox } from '../support/toolbox.ts'
import { type Row, rowsOf } from './table.ts'

/** All unsafe calls, even those without a body: a client may send one with any call. */
const rows = rowsOf(readFileSync(new URL('routes.txt', import.meta.url), 'utf8'))
const unsafe = rows.filter(({ method, statuses }) => method !== 'GET' && statuses.visitor !== statuses.admin2)
/** Calls that are open to visitors, but use the user of a session if there is one. */
const ofSession = ['/api/auth/two-factor/verify-totp', '/api/auth/two-factor/verify-backup-code'].map(
  (url): Row => ({ method: 'POST', url, body: '{"code":"000000"}', statuses: {} as Row['statuses'] }),
)
const toolIds = toolsWithEntries.map(({ id }) => id)

type Somebody = { id: string; keyId: string | undefined; headers: Record<string, string> }

async function somebody(box: Toolbox, by: 'session' | 'key'): Promise<Somebody> {
  const { id, screen } = await createSignedInPerson(box, { roles: { Admin: 2, Tools: 2 } })
  if (by === 'session') return { id, keyId: undefined, headers: headersOf(screen.jar) }
  const apiKey = await screen.post('/api/v1/user/apikeys', { name: 'k', scopes: ['read', 'write'], expiresAt: null })
  return { id, keyId: apiKey.body.id, headers: { authorization: `Bearer ${apiKey.body.key}` } }
}

/** Changes to the sender that may happen while the body is arriving. */
const changes: Record<string, { by: 'session' | 'key'; change: (box: Toolbox, who: Somebody) => Promise<unknown> }> = {
  'is blocked': {
    by: 'session',
    change: ({ db }, { id }) => db.q.updateTable('users').set({ status: 0 }).where('id', '=', id).execute(),
  },
  'is signed out': {
    by: 'session',
    change: ({ db }, { id }) => db.q.deleteFrom('sessions').where('user_id', '=', id).execute(),
  },
  'is deleted': {
    by: 'session',
    change: async ({ db }, { id }) => {
      await db.q.deleteFrom('sessions').where('user_id', '=', id).execute()
      await db.q.deleteFrom('users').where('id', '=', id).execute()
    },
  },
  'is lowered': {
    by: 'session',
    change: ({ db }, { id }) =>
      db.q.updateTable('users').set({ roles: '{"Admin":1,"Tools":0}' }).where('id', '=', id).execute(),
  },
  'signed in too long ago': {
    by: 'session',
    change: ({ db, now }, { id }) =>
      db.q
        .updateTable('sessions')
        .set({ created_at: db.timestamp(now() - minutes(11)), proved_at: null })
        .where('user_id', '=', id)
        .execute(),
  },
  'loses every role': {
    by: 'session',
    change: ({ db }, { id }) =>
      db.q.updateTable('users').set({ roles: '{"Admin":0,"Tools":0}' }).where('id', '=', id).execute(),
  },
  'loses the key': {
    by: 'key',
    change: ({ db }, { keyId }) =>
      db.q
        .deleteFrom('api_key')
        .where('id', '=', keyId ?? '')
        .execute(),
  },
}

/** Sends a call whose body is held back until `meanwhile` has finished. */
async function send(box: Toolbox, { method, url, body }: Row, who: Somebody, meanwhile: () => Promise<unknown>) {
  const text = Buffer.from(body ?? '{}')
  const held = new Readable({
    read() {
      this.push(text.subarray(0, -1))
      void meanwhile().then(() => {
        this.push(text.subarray(-1))
        this.push(null)
      })
      this._read = () => {}
    },
  })
  const answer = await box.app.inject({
    method: method as 'POST',
    url,
    payload: held,
    headers: {
      ...who.headers,
      'content-length': String(text.length),
      'content-type': url.startsWith('/api/v1/admin/users/import') ? 'text/csv' : 'application/json',
    },
  })
  return answer.statusCode
}

/** Fills a row's placeholders with unknown ids, so that a permitted call finds nothing. */
function callsOf(row: Row): Row[] {
  const fill = (text: string, tool: string) =>
    text.replaceAll('{tool}', tool).replaceAll(/\{(?:entry|copy|owner|user|id|new)\}|(?<=\/):\w+/g, randomUUID())
  const tools = row.url.includes('{tool}') ? toolIds : ['']
  return tools.map((tool) => ({
    ...row,
    url: fill(row.url, tool),
    body: row.body === undefined ? undefined : fill(row.body, tool),
  }))
}

test.each(Object.entries(changes))(
  'rejects every call whose sender %s while its body is arriving',
  async (_name, { by, change }) => {
    const box = await toolbox('sqlite')
    onTestFinished(() => box.close())
    const wrong: string[] = []
    let refused = 0
    for (const row of [...unsafe, ...ofSession].flatMap(callsOf)) {
      const who = await somebody(box, by)
      const held = await send(box, row, who, () => change(box, who))
      const atStart = await send(box, row, who, async () => {})
      if (atStart === 401 || atStart === 403) refused += 1
      if (held !== atStart) wrong.push(`${row.method} ${row.url}: ${held} held back, ${atStart} at the start`)
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(10)
  },
)

test('an admin who is blocked while the body is arriving cannot promote a user', async () => {
  const box = await toolbox('sqlite')
  onTestFinished(() => box.close())
  const who = await somebody(box, 'session')
  const friend = await createPerson(box.context, {})
  const body = JSON.stringify({ id: friend.id, roles: { Admin: 2 } })
  const row = { method: 'PATCH', url: '/api/v1/admin/user', body, statuses: {} as Row['statuses'] }
  expect(await send(box, row, who, () => changes['is blocked']!.change(box, who))).toBe(401)
  const { roles } = await box.db.q
    .selectFrom('users')
    .select('roles')
    .where('id', '=', friend.id)
    .executeTakeFirstOrThrow()
  expect(JSON.parse(roles)).toMatchObject({ Admin: 0 })
})
