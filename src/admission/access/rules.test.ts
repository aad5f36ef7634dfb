import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createSignedInPerson, startSession } from '../../../test/support/people.ts'
import { boxWithProviders, signInAt } from '../../../test/support/scenes/round-trip.ts'
import { accessRows } from '../../../test/support/sign-in-cases.ts'
import { linkAccount } from '../../people/sign-in-methods.ts'
import { createUser } from '../../people/store.ts'
import { days } from '../../shared/time.ts'
import { Active, accountStatuses, Blocked, Inactive } from '../../shared/user.ts'
import { type Refusal, refusalMessage } from '../../sign-in/providers/refusal.ts'
import { openRequest } from './store.ts'

/** What an admin changes under Edit User, by the document's wording. */
const edits: Record<string, object> = {
  'tools given under *Edit User*': { roles: { Tools: 1 } },
  'made inactive': { status: Inactive },
  'made active': { status: Active },
  blocked: { status: Blocked },
}

describe.each(dialects)('waiting for access on %s', async (dialect) => {
  const it = await boxWithProviders(dialect, { SIGN_UP: 'approval' })
  const boss = await createSignedInPerson(it.box, { roles: { Admin: 2 } })
  afterAll(() => it.close())

  /** Creates a user who waits with this kind of request. */
  async function waitsAs(kind: 'request' | 'sign-up') {
    const { db, now } = it.box.context
    const person = it.somebody()
    it.github.person(person)
    const status = kind === 'sign-up' ? Inactive : Active
    const user = { name: person.username, email: person.email, emailVerified: true, status }
    const id = await createUser(db, db.q, { ...user, roles: { Admin: 0, Tools: 0 } }, now())
    const account = { providerId: it.github.id, accountId: person.id, accountUsername: person.username }
    await linkAccount(db, db.q, id, account, now())
    await openRequest(db.q, { userId: id, kind, message: null }, now())
    return id
  }

  async function carryOut(decision: string, id: string) {
    if (decision === 'none yet') return
    const edit = edits[decision]
    const { status } = edit
      ? await boss.screen.patch('/api/v1/admin/user', { id, ...edit })
      : await boss.screen.post('/api/v1/admin/access-requests/decide', { ids: [id], decision })
    expect(status).toBe(200)
  }

  /** When this user may ask again, in the document's wording. */
  async function againFor(id: string) {
    const { db, context, auth, app } = it.box
    const screen = browser(app, '192.0.2.9', (await startSession(context, auth, { id })).cookie)
    await screen.get('/api/v1/auth/session')
    const ask = async () => (await screen.post('/api/v1/user/access-request', {})).status
    const first = await ask()
    if (first !== 429) return first === 202 ? 'at once' : 'never'
    await db.q
      .updateTable('access_request')
      .set((eb) => ({ at: eb('at', '-', days(1)) }))
      .where('user_id', '=', id)
      .execute()
    return (await ask()) === 202 ? 'after a day' : 'never'
  }

  async function signsInAgain(id: string) {
    const { db } = it.box
    await db.q
      .updateTable('access_request')
      .set((eb) => ({ decided_at: eb('decided_at', '-', days(1)) }))
      .where('user_id', '=', id)
      .execute()
    return (await signInAt(it.visitor(), it.github.id)).error === refusalMessage('waiting') ? 'after a day' : 'never'
  }

  test.each(accessRows)('$kind, $decision', async (row) => {
    const id = await waitsAs(row.kind as 'request' | 'sign-up')
    await carryOut(row.decision, id)
    const user = await it.box.db.q
      .selectFrom('users')
      .select(['status', 'roles'])
      .where('id', '=', id)
      .executeTakeFirst()
    const waiting: { id: string }[] = (await boss.screen.get('/api/v1/admin/access-requests')).body
    const { error } = await signInAt(it.visitor(), it.github.id)
    const [, why] = /refused: (\w+)/.exec(row.signIn) ?? []
    expect(error).toBe(why && refusalMessage(why as Refusal))
    const mayAsk = user?.status === Active ? againFor : signsInAgain
    expect({
      status: accountStatuses[user?.status as 0 | 1 | 2],
      tools: JSON.parse(user?.roles ?? '{}').Tools,
      waits: waiting.some((one) => one.id === id),
      again: row.waits && row.kind === 'sign-up' ? 'never' : await mayAsk(id),
    }).toEqual({ status: row.status, tools: row.tools, waits: row.waits, again: row.again })
  })

  test('docs/sign-in.md covers both kinds', () => {
    expect(new Set(accessRows.map(({ kind }) => kind))).toEqual(new Set(['request', 'sign-up']))
  })
})
