import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, startSession } from '../../test/support/people.ts'
import { openEventStream } from '../../test/support/stream.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { createApp } from '../app.ts'
import type { App } from '../platform/http/app.ts'
import { createEvents } from '../platform/live/live-events.ts'
import { createMetrics } from '../platform/metrics.ts'
import { days, hours, minutes } from '../shared/time.ts'
import { deliverOnce } from './toasts.ts'

const path = '/api/v1/admin/notifications'

type Stream = Awaited<ReturnType<typeof openEventStream>>

/** Creates users whose browsers connect to the app at this URL. */
function people(box: Toolbox, app: App, url: string) {
  const open = new Set<Stream>()
  const connections = () => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  async function close(screens: Iterable<Stream>) {
    for (const screen of screens) {
      await screen.close()
      open.delete(screen)
    }
    await expect.poll(connections).toBe(open.size)
  }
  async function signedIn(details: Parameters<typeof createPerson>[1] = {}) {
    const person = await createPerson(box.context, details)
    const { cookie } = await startSession(box.context, box.auth, person)
    const screen = browser(box.app, '192.0.2.1', cookie)
    await screen.get('/api/v1/auth/session')
    const [[name, value]] = Object.entries(cookie) as [[string, string]]
    const header = { cookie: `${name}=${encodeURIComponent(value)}` }
    const visit = async () => {
      const stream = await openEventStream(url, header)
      open.add(stream)
      return stream
    }
    /** Waits for this message and returns all messages received. */
    const receiveUntil = async (stream: Stream, last: string) => {
      const messages = () => stream.eventsOfType('notification').map(({ message }) => message)
      await expect.poll(messages).toContain(last)
      await box.auth.background.drained()
      return messages()
    }
    return { person, screen, visit, receiveUntil }
  }
  type SignedIn = Awaited<ReturnType<typeof signedIn>>
  const say = async ({ screen }: SignedIn, message: string) => {
    const answer = await screen.post(path, { type: 'info', message })
    expect(answer.status).toBe(201)
    return answer.body
  }
  const admin = () => signedIn({ roles: { Admin: 2 } })
  const visitAgain = async (who: SignedIn, marker: string, boss: SignedIn) => {
    const stream = await who.visit()
    await box.auth.background.drained()
    await say(boss, marker)
    const received = await who.receiveUntil(stream, marker)
    await close([stream])
    return received
  }
  return { signedIn, admin, say, visitAgain, close, closeAll: () => close(open) }
}
describe.each(dialects)('notifications on %s', async (dialect) => {
  const box = await toolbox(dialect)
  const url = await box.app.listen({ port: 0, host: '127.0.0.1' })
  const house = people(box, box.app, url)
  afterAll(() => box.close())
  afterEach(() => house.closeAll())
  // Messages of one test must not count as missed in the next.
  beforeEach(() => box.pass(days(2)))

  test('reach every signed-in screen immediately', async () => {
    const boss = await house.admin()
    const [ada, tim] = [await house.signedIn(), await house.signedIn({ roles: { Tools: 0 } })]
    const screens = [await ada.visit(), await ada.visit(), await tim.visit()]
    const answer = await boss.screen.post(path, { type: 'warning', message: ' Back at nine. ' })
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        type: 'warning',
        message: 'Back at nine.',
        issuedAt: box.now(),
        author: boss.person.name,
      },
    ])
    for (const screen of screens) await expect.poll(() => screen.eventsOfType('notification')).toEqual([answer.body])
    const [row] = await box.db.q.selectFrom('audit').selectAll().where('actor_id', '=', boss.person.id).execute()
    expect(row).toMatchObject({ action: 'notification.announce', actor: boss.person.email, target: 'Everyone' })
    expect(JSON.parse(row!.changes)).toContainEqual({ field: 'message', from: null, to: 'Back at nine.' })
  })

  test('of the last 30 days are listed for an admin, newest first', async () => {
    const boss = await house.admin()
    const old = await house.say(boss, 'old')
    box.pass(days(30) - 1)
    const later = await house.admin()
    const fresh = await house.say(later, 'fresh')
    expect((await later.screen.get(path)).body.slice(0, 2)).toEqual([fresh, old])
    box.pass(1)
    expect((await later.screen.get(path)).body).toEqual([fresh])
  })

  test('need a known type and 1 to 500 characters', async () => {
    const { screen } = await house.admin()
    for (const [body, field] of [
      [{ type: 'loud', message: 'Hello' }, 'type'],
      [{ message: 'Hello' }, 'type'],
      [{ type: 'info', message: '  ' }, 'message'],
      [{ type: 'info', message: 'x'.repeat(501) }, 'message'],
      [{ type: 'info', message: 'a\u0000b' }, 'message'],
      [{ type: 'info', message: 'Hello', author: 'the Pope' }, 'author'],
    ] as const) {
      const answer = await screen.post(path, body)
      expect([answer.status, Object.keys(answer.body.fields)]).toEqual([400, [field]])
    }
  })

  test('that were missed arrive at the next visit, oldest first, and once', async () => {
    const boss = await house.admin()
    await house.say(boss, 'before there was Ada')
    box.pass(minutes(1))
    const ada = await house.signedIn()
    await house.say(boss, 'too long ago')
    box.pass(hours(24) - minutes(1))
    await house.say(boss, 'first')
    box.pass(minutes(2))
    await house.say(boss, 'second')
    const stream = await ada.visit()
    expect(await ada.receiveUntil(stream, 'second')).toEqual(['first', 'second'])
    await house.close([stream])
    expect(await house.visitAgain(ada, 'third', boss)).toEqual(['third'])
    expect(await house.visitAgain(ada, 'fourth', boss)).toEqual(['fourth'])
  })

  test('that were shown on a screen do not return, and those to one user reach no other user', async () => {
    const boss = await house.admin()
    const [ada, tim] = [await house.signedIn(), await house.signedIn()]
    const stream = await ada.visit()
    await house.say(boss, 'seen')
    await ada.receiveUntil(stream, 'seen')
    await house.close([stream])
    const toAda = { type: 'account', userId: ada.person.id, message: 'for Ada', toast: 'warning' } as const
    const events = await box.db.q.transaction().execute((tx) => box.context.notify(tx, [toAda]))
    box.context.events.publish(events)
    expect(events).toMatchObject([{ data: { author: 'ToolBox', type: 'warning' } }])
    const later = await ada.visit()
    expect(await ada.receiveUntil(later, 'for Ada')).toEqual(['for Ada'])
    const others = await tim.visit()
    expect(await tim.receiveUntil(others, 'seen')).toEqual(['seen'])
    expect((await boss.screen.get(path)).body.map((one: { message: string }) => one.message)).not.toContain('for Ada')
  })

  test('reach at least one screen, and each screen at most once, while many are sent and screens open', async () => {
    const boss = await house.admin()
    const ada = await house.signedIn()
    const messages = Array.from({ length: 30 }, (_, n) => `no. ${n}`)
    const streams = ada.visit()
    const sending = Promise.all(messages.map((message) => house.say(boss, message)))
    const more = Promise.all(Array.from({ length: 8 }, () => ada.visit()))
    await sending
    const all = [await streams, ...(await more)]
    const received = () => all.map((stream) => stream.eventsOfType('notification').map(({ message }) => message))
    await expect.poll(() => new Set(received().flat()).size).toBe(messages.length)
    await box.auth.background.drained()
    for (const one of received()) expect(new Set(one).size).toBe(one.length)
  })

  test('that could not be delivered to a closed screen wait for the next one', async () => {
    const boss = await house.admin()
    const ada = await house.signedIn()
    const { id } = await house.say(boss, 'almost lost')
    const once = deliverOnce(box.context, box.auth.background)
    const offered: (string | undefined)[][] = []
    const offer = async (answer: boolean) => {
      once.missed(ada.person.id, (events) => {
        offered.push(events.map((event) => event.id))
        return answer
      })
      await box.auth.background.drained()
    }
    await offer(false)
    await offer(true)
    await offer(true)
    expect(offered).toEqual([[id], [id]])
  })

  test('leave no records for deleted users or deleted notifications', async () => {
    const boss = await house.admin()
    const ada = await house.signedIn()
    const { id } = await house.say(boss, 'to whom it may concern')
    const { delivered } = deliverOnce(box.context, box.auth.background)
    delivered(id, [ada.person.id, 'nobody'])
    delivered('nothing', [ada.person.id])
    await box.auth.background.drained()
    const seen = box.db.q.selectFrom('notification_seen').selectAll().where('user_id', '=', ada.person.id)
    expect(await seen.execute()).toMatchObject([{ user_id: ada.person.id, notification_id: id }])
    await box.db.q.deleteFrom('users').where('id', '=', ada.person.id).execute()
    expect(await seen.execute()).toEqual([])
  })
})

test('notifications reach the screens of other instances, in full and once', async () => {
  const box = await toolbox('postgres')
  const events = createEvents(box.context)
  const other = await createApp({ ...box.context, events, metrics: createMetrics() }, box.auth)
  const url = await other.listen({ port: 0, host: '127.0.0.1' })
  const { signedIn, admin, say, visitAgain, close } = people(box, other, url)
  const boss = await admin()
  const ada = await signedIn()
  const screen = await ada.visit()
  const countReceived = () => {
    // Unlike an announcement, a lost one doesn't wait for the next visit.
    box.context.events.publish([{ type: 'run', to: { everyone: true }, data: null }])
    return screen.eventsOfType('run').length
  }
  await expect.poll(countReceived).toBeGreaterThan(0)
  // The longest JSON of 500 characters.
  const longest = '\u0001'.repeat(500)
  await say(boss, longest)
  await ada.receiveUntil(screen, longest)
  await close([screen])
  expect(await visitAgain(ada, 'once more', boss)).toEqual(['once more'])
  await other.close()
  await events.close()
  await box.close()
})
