import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, racingDialects } from '../../../test/support/database/databases.ts'
import { createPerson, createSignedInPerson } from '../../../test/support/people.ts'
import { beforeCheck } from '../../../test/support/scenes/before-check.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { messageOf } from '../../notices/channels/message.ts'
import { pendingOf } from '../../notices/channels/queue.ts'
import { days, minutes, seconds } from '../../shared/time.ts'
import { Active, Blocked, Inactive } from '../../shared/user.ts'
import type { AccessRequest, Decision } from './contract.ts'
import { openRequest } from './store.ts'

const own = '/api/v1/user/access-request'
const waiting = '/api/v1/admin/access-requests'
type Person = Awaited<ReturnType<typeof createSignedInPerson>>

const ask = ({ screen }: Person, message?: string | null) => screen.post(own, message === undefined ? {} : { message })

describe.each(dialects)('access requests on %s', async (dialect) => {
  let boss: Person
  const box = closeAfterwards(await toolbox(dialect))
  beforeEach(async () => {
    box.pass(minutes(1))
    await box.db.q.deleteFrom('access_request').execute()
    boss = await createSignedInPerson(box, { roles: { Admin: 2 } })
  })

  const newcomer = () => createSignedInPerson(box, { roles: { Tools: 0 } })
  /** A user who signed up and waits for approval. */
  const signedUp = async () => {
    const person = await createPerson(box.context, { roles: { Tools: 0 }, status: Inactive })
    await openRequest(box.db.q, { userId: person.id, kind: 'sign-up', message: null }, box.now())
    return person
  }
  const decide = (decision: Decision, ...ids: string[]) => boss.screen.post(`${waiting}/decide`, { ids, decision })
  const who = async (): Promise<AccessRequest[]> => (await boss.screen.get(waiting)).body
  const idsOf = async () => (await who()).map(({ id }) => id)
  const mine = async ({ screen }: Person) => (await screen.get(own)).body
  const rightsOf = async (id: string) => {
    const user = box.db.q.selectFrom('users').select(['status', 'roles', 'updated_at']).where('id', '=', id)
    const { status, roles } = await user.executeTakeFirstOrThrow()
    return { status, tools: JSON.parse(roles).Tools }
  }
  const messagesTo = async ({ id }: { id: string }) => {
    const query = box.db.q.selectFrom('notification').select('message').where('user_id', '=', id)
    return (await query.orderBy('issued_at', 'desc').execute()).map(({ message }) => message)
  }
  const audited = (id: string) =>
    box.db.q.selectFrom('audit').select(['action', 'actor_id', 'changes']).where('target_id', '=', id).execute()

  test('a request and its message reach the inbox and the waiting list of admins with level 2', async () => {
    const [ada, viewer] = [await newcomer(), await createSignedInPerson(box, { roles: { Admin: 1 } })]
    expect(await mine(ada)).toEqual({ at: null, state: 'none', nextAt: null })
    expect(await ask(ada, '  For our\nstaging apps  ')).toMatchObject({ status: 202, body: { at: box.now() } })
    const { id, name, email } = ada
    const words = { message: 'For our staging apps', at: box.now(), kind: 'request' }
    expect(await who()).toEqual([{ id, name, email, emailVerified: true, ...words }])
    expect(await messagesTo(boss)).toEqual([`“${name}” (“${email}”) requested access: “For our staging apps”`])
    expect((await boss.screen.get('/api/v1/user/inbox')).body.items).toMatchObject([{ type: 'access', readAt: null }])
    expect(await messagesTo(viewer)).toEqual([])
    expect((await viewer.screen.get(waiting)).status).toBe(403)
    expect(await mine(ada)).toEqual({ at: box.now(), state: 'open', nextAt: box.now() + days(1) })
    const logged = await box.db.q.selectFrom('audit').select('action').where('actor_id', '=', id).execute()
    expect(logged).toEqual([{ action: 'access.request' }])
  })

  test('accepts one request a day, and none from users of the tools', async () => {
    const ada = await newcomer()
    expect((await ask(ada)).status).toBe(202)
    box.pass(days(1) - minutes(1))
    expect(await ask(ada)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    box.pass(minutes(1))
    expect((await ask(ada, 'Again')).status).toBe(202)
    expect((await who()).map(({ message }) => message)).toEqual(['Again'])
    expect((await ask(await createSignedInPerson(box))).status).toBe(409)
    const wordy = await newcomer()
    expect((await ask(wordy, 'x'.repeat(301))).body.fields).toEqual({ message: 'Use at most 300 characters.' })
    expect((await wordy.screen.post(own)).status).toBe(202)
    expect((await ask(await newcomer(), null)).status).toBe(202)
  })

  test.each([
    ['request', 'approve', 0, 'Your request for access was approved.'],
    ['request', 'tools', 1, 'Your request was approved. You can use the tools now.'],
    ['sign-up', 'approve', 0, 'Your account was approved.'],
    ['sign-up', 'tools', 1, 'Your request was approved. You can use the tools now.'],
  ] as const)('a %s is closed by %s, after which the user has Tools %i', async (kind, decision, tools, message) => {
    const asker = kind === 'request' ? await newcomer() : undefined
    const ada = asker ?? (await signedUp())
    if (asker) await ask(asker)
    expect(await decide(decision, ada.id)).toMatchObject({ status: 200, body: { done: [ada.id], refused: [] } })
    expect(await rightsOf(ada.id)).toEqual({ status: Active, tools })
    expect(await who()).toEqual([])
    expect((await messagesTo(ada))[0]).toBe(message)
    const [{ action, actor_id, changes }] = (await audited(ada.id)) as [Awaited<ReturnType<typeof audited>>[0]]
    expect([action, actor_id]).toEqual(['access.approve', boss.id])
    const status = kind === 'sign-up' ? [{ field: 'status', from: 1, to: 2 }] : []
    const role = tools ? [{ field: 'roles.Tools', from: 0, to: 1 }] : []
    expect(JSON.parse(changes)).toEqual([...status, ...role])
    if (asker) expect((await mine(asker)).state).toBe('approved')
  })

  test('declining a request changes nothing else, and the user can ask again the next day', async () => {
    const [ada, bob] = [await newcomer(), await signedUp()]
    await ask(ada)
    expect((await decide('decline', ada.id, bob.id)).body).toEqual({ done: [ada.id, bob.id], refused: [] })
    expect(await rightsOf(ada.id)).toEqual({ status: Active, tools: 0 })
    expect(await rightsOf(bob.id)).toEqual({ status: Inactive, tools: 0 })
    expect(await who()).toEqual([])
    expect(await mine(ada)).toMatchObject({ state: 'declined', nextAt: box.now() + days(1) })
    expect(await messagesTo(ada)).toEqual(['Your request for access was declined. You can ask again after a day.'])
    expect((await audited(ada.id)).map(({ action, changes }) => [action, changes])).toEqual([['access.decline', '[]']])
    expect((await ask(ada)).status).toBe(429)
    box.pass(days(1))
    expect((await ask(ada)).status).toBe(202)
    expect(await idsOf()).toEqual([ada.id])
  })

  test('decides many requests independently, and reports those already decided or not found', async () => {
    const people = [await newcomer(), await newcomer(), await newcomer()]
    for (const person of people) await ask(person)
    const [first, second, third] = people.map(({ id }) => id) as [string, string, string]
    await decide('decline', second)
    expect((await decide('tools', third, second, 'nobody', first, third)).body).toEqual({
      done: [third, first],
      refused: [
        { id: second, why: 'This request was already decided.' },
        { id: 'nobody', why: 'User not found.' },
      ],
    })
    for (const body of [{}, { ids: [], decision: 'tools' }, { ids: [first], decision: 'maybe' }])
      expect((await boss.screen.post(`${waiting}/decide`, body)).status).toBe(400)
  })

  test('decides no further requests once the admin is blocked', async () => {
    const [ada, bob, other] = [
      await newcomer(),
      await newcomer(),
      await createSignedInPerson(box, { roles: { Admin: 2 } }),
    ]
    for (const person of [ada, bob]) await ask(person)
    const block = box.db.q.updateTable('users').set({ status: Blocked }).where('id', '=', other.id)
    beforeCheck(box.app, 2, () => block.execute())
    expect((await other.screen.post(`${waiting}/decide`, { ids: [ada.id, bob.id], decision: 'tools' })).body).toEqual({
      done: [ada.id],
      refused: [{ id: bob.id, why: 'You lost access before this was done.' }],
    })
    expect([await idsOf(), await rightsOf(bob.id)]).toEqual([[bob.id], { status: Active, tools: 0 }])
  })

  test('granting the tools requires a recent proof; other decisions do not', async () => {
    const ada = await newcomer()
    await ask(ada)
    box.pass(minutes(11))
    expect(await decide('tools', ada.id)).toMatchObject({ status: 403, body: { reauthenticate: true } })
    expect((await decide('approve', ada.id)).status).toBe(200)
  })

  test('a user who is blocked, deleted, activated or given the tools elsewhere is no longer waiting', async () => {
    const edit = (id: string, change: object) => boss.screen.patch('/api/v1/admin/user', { id, ...change })
    const [granted, blocked, deleted, named] = [await newcomer(), await newcomer(), await newcomer(), await newcomer()]
    for (const person of [granted, blocked, deleted, named]) await ask(person)
    const activated = await signedUp()
    expect(new Set(await idsOf())).toEqual(new Set([granted, blocked, deleted, named, activated].map(({ id }) => id)))
    await edit(granted.id, { roles: { Tools: 1 } })
    await edit(blocked.id, { status: Blocked })
    await edit(activated.id, { status: Active })
    await edit(named.id, { name: 'Somebody' })
    await boss.screen.delete(`/api/v1/admin/user?email=${deleted.email}`)
    expect(await idsOf()).toEqual([named.id])
    // Losing the access again doesn't reopen the request.
    await edit(granted.id, { roles: { Tools: 0 } })
    await edit(activated.id, { status: Inactive })
    expect(await idsOf()).toEqual([named.id])
    expect((await mine(granted)).state).toBe('closed')
    expect((await decide('tools', activated.id)).body.refused).toHaveLength(1)
  })

  test('publishes live events to the open screens of the user and of admins', async () => {
    const ada = await newcomer()
    const events: string[] = []
    const stop = box.context.events.subscribe(({ type, to }) => {
      if (to.userId === ada.id) events.push(`${type} to Ada`)
      if (to.role) events.push(`${type} to ${to.role}`)
    })
    await ask(ada)
    await decide('tools', ada.id)
    stop()
    expect(events).toEqual(['inbox to Admin,2', 'access to Ada', 'notification to Ada', 'inbox to Admin,2'])
  })

  test('notifies admins through their channels, with a link to decide', () => {
    const message = 'Ada asks for access.'
    const listener = { id: 'c', type: 'slack', userId: 'boss', isAdmin: true, tools: null, entries: null } as const
    const pending = pendingOf({ ...listener, events: ['account'] }, { type: 'access', message })
    expect(pending?.change).toEqual({ message, access: true })
    const facts = { id: 'm', kind: 'account', at: 0, changes: [pending!.change], count: 1 } as const
    expect(messageOf(facts, { baseUrl: 'https://tools.example.com', zone: 'UTC' })).toMatchObject({
      title: 'Access to ToolBox',
      lines: [message],
      link: 'https://tools.example.com/admin/users',
    })
  })

  test('lists requests and sign-ups, newest first, also page by page with the total number', async () => {
    const ada = await newcomer()
    await ask(ada)
    const ids = [ada.id]
    for (let n = 0; n < 10; n += 1) {
      box.pass(seconds(1))
      ids.unshift((await signedUp()).id)
    }
    const kinds = [...Array(10).fill('sign-up'), 'request']
    expect((await who()).map(({ id, kind, message }) => [id, kind, message])).toEqual(
      ids.map((id, n) => [id, kinds[n], null]),
    )
    const pageOf = async (query: string) => {
      const { rows, total } = (await boss.screen.get(`${waiting}?${query}`)).body
      return [rows.map(({ id }: AccessRequest) => id), total]
    }
    expect(await pageOf('page=1&size=10')).toEqual([ids.slice(0, 10), 11])
    expect(await pageOf('page=2&size=10')).toEqual([ids.slice(10), 11])
    expect(await pageOf('size=10')).toEqual([ids.slice(0, 10), 11])
    // Users who already have the access they asked for are not counted.
    await box.db.q.updateTable('users').set({ status: Active }).where('id', '=', ids[0]!).execute()
    const roles = JSON.stringify({ Admin: 0, Tools: 1 })
    await box.db.q.updateTable('users').set({ roles }).where('id', '=', ada.id).execute()
    expect(await pageOf('page=1')).toEqual([ids.slice(1, 10), 9])
    expect((await boss.screen.get(`${waiting}?size=9`)).status).toBe(400)
  })
})

describe.each(racingDialects)('concurrent access requests and decisions on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const newcomer = () => createSignedInPerson(box, { roles: { Tools: 0 } })

  test('only one of two concurrent requests of a user is accepted', async () => {
    const ada = await newcomer()
    const answers = await Promise.all([ask(ada), ask(ada, 'Please')])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429])
  })

  test('only one of two concurrent decisions takes effect', async () => {
    const ada = await newcomer()
    const admins = [1, 2].map(() => createSignedInPerson(box, { roles: { Admin: 2 } }))
    await ask(ada)
    const body = { ids: [ada.id], decision: 'approve' }
    const decisions = (await Promise.all(admins)).map(({ screen }) => screen.post(`${waiting}/decide`, body))
    const both = await Promise.all(decisions)
    expect(both.map(({ body }) => body.done.length).sort()).toEqual([0, 1])
    const log = box.db.q.selectFrom('audit').select('action').where('target_id', '=', ada.id)
    expect(await log.execute()).toEqual([{ action: 'access.approve' }])
  })
})
