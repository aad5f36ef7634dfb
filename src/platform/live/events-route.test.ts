import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { portOf } from '../../../test/support/raw-http.ts'
import { openEventStreamAs, startEventServer } from '../../../test/support/scenes/live-streams.ts'
import { byKey, callerWith, testServer } from '../../../test/support/scenes/test-server.ts'
import { seconds } from '../../shared/time.ts'
import type { Roles } from '../../shared/user.ts'
import type { Caller } from '../http/app.ts'
import { accessChanged, eventsMissed, type LiveEvent } from './events.ts'
import { createEvents } from './live-events.ts'
import { type DeliverOnce, eventsRoute } from './live-streams.ts'

const opening = (roles: Partial<Roles>) =>
  `retry: 3000\n\nevent: roles\ndata: ${JSON.stringify(callerWith(roles).user.roles)}\n\n`

test('sends an event only to the users it is for', async () => {
  const { events, url } = await startEventServer()
  const [ada, tim] = [await openEventStreamAs(url, 'ada'), await openEventStreamAs(url, 'tim')]
  expect(ada.answer.headers.get('content-type')).toContain('text/event-stream')
  events.publish([
    { type: 'run', to: { userId: 'u1' }, data: { n: 1 } },
    { type: 'entry', to: { role: ['Tools', 2] }, data: { n: 2 } },
    { type: 'notification', to: { everyone: true }, data: { n: 3 } },
  ])
  await expect.poll(() => tim.received.text).toContain('"n":3')
  expect(ada.received.text).toBe(
    `${opening({ Tools: 1 })}event: run\ndata: {"n":1}\n\nevent: notification\ndata: {"n":3}\n\n`,
  )
  expect(tim.received.text).toBe(
    `${opening({ Tools: 2 })}event: entry\ndata: {"n":2}\n\nevent: notification\ndata: {"n":3}\n\n`,
  )
})

test('combines a burst of changes into one event that names the tool', async () => {
  const { events, url } = await startEventServer()
  const ada = await openEventStreamAs(url, 'ada')
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  events.publish(ids.map((id) => ({ type: 'run', to: { userId: 'u1' }, data: { tool: 'keepalive', id } })))
  await expect.poll(() => ada.received.text).toContain('changes')
  const each = ids.slice(0, 5).map((id) => `event: run\ndata: {"tool":"keepalive","id":"${id}"}\n\n`)
  const rest = 'event: changes\ndata: {"keepalive":{"edited":false}}\n\n'
  expect(ada.received.text).toBe(opening({ Tools: 1 }) + each.join('') + rest)
})

test('sends each change separately to a program with an API key', async () => {
  const { events, url, changed } = await startEventServer()
  changed.set('ada', callerWith({ Tools: 1 }, byKey))
  const program = await openEventStreamAs(url, 'ada')
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  events.publish(ids.map((id) => ({ type: 'run', to: { userId: 'u1' }, data: { tool: 'keepalive', id } })))
  await expect.poll(() => program.eventsOfType('run').map((run) => Object(run).id)).toEqual(ids)
})

test('refuses visitors, and the eleventh stream of one user until another one closes', async () => {
  const { url } = await startEventServer()
  expect((await fetch(`${url}/api/v1/events`)).status).toBe(401)
  const ten = await Promise.all(Array.from({ length: 10 }, () => openEventStreamAs(url, 'ada')))
  const refused = await fetch(`${url}/api/v1/events`, { headers: { authorization: 'ada' } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await openEventStreamAs(url, 'tim')).answer.status).toBe(200)
  ten[0]!.close()
  await expect.poll(async () => (await openEventStreamAs(url, 'ada')).answer.status).toBe(200)
})

test('keeps a quiet stream alive', async () => {
  const { url } = await startEventServer({ heartbeat: 20 })
  const { received } = await openEventStreamAs(url, 'ada')
  await expect.poll(() => received.text).toContain(': still here')
})

test('ends the stream of an ended session, and no other', async () => {
  const { url, signedOut, checksOf } = await startEventServer({ recheck: 20 })
  const [ada, tim] = [await openEventStreamAs(url, 'ada'), await openEventStreamAs(url, 'tim')]
  signedOut.add('ada')
  await expect.poll(() => ada.received.ended).toBe(true)
  const before = checksOf('tim')
  await expect.poll(() => checksOf('tim')).toBeGreaterThan(before + 2)
  expect(tim.received.ended).toBe(false)
})

test('immediately checks the streams of a user whose rights have changed, and notifies only them', async () => {
  const { events, url, changed } = await startEventServer()
  const [ada, tim] = [await openEventStreamAs(url, 'ada'), await openEventStreamAs(url, 'tim')]
  const forAdmins = (n: number): LiveEvent => ({ type: 'entry', to: { role: ['Tools', 2] }, data: { n } })
  events.publish([forAdmins(1)])
  changed.set('ada', callerWith({ Tools: 2 }))
  events.publish([accessChanged('u1')])
  await expect.poll(() => ada.eventsOfType('access')).toEqual([null])
  events.publish([forAdmins(2)])
  await expect.poll(() => ada.eventsOfType('entry')).toEqual([{ n: 2 }])
  await expect.poll(() => tim.eventsOfType('entry')).toEqual([{ n: 1 }, { n: 2 }])
  expect(tim.received.text).not.toContain('access')
})

test('the next periodic check sends roles that changed without an event, once', async () => {
  const { url, changed, checksOf } = await startEventServer({ recheck: 20 })
  const ada = await openEventStreamAs(url, 'ada')
  changed.set('ada', callerWith({ Tools: 2 }))
  await expect.poll(() => ada.eventsOfType('roles')).toHaveLength(2)
  const before = checksOf('ada')
  await expect.poll(() => checksOf('ada')).toBeGreaterThan(before + 2)
  expect(ada.eventsOfType('roles').map(({ Tools }) => Tools)).toEqual([1, 2])
})

test('notifies the screen of a session that has ended, and closes its stream', async () => {
  const { events, url, signedOut } = await startEventServer()
  const [ada, tim] = [await openEventStreamAs(url, 'ada'), await openEventStreamAs(url, 'tim')]
  signedOut.add('ada')
  // Events published at the same time may or may not arrive, but must not break the end of the stream.
  events.publish([accessChanged('u1'), { type: 'run', to: { everyone: true }, data: 1 }])
  await expect.poll(() => ada.received.ended).toBe(true)
  expect(ada.eventsOfType('access')).toEqual([null])
  events.publish([{ type: 'run', to: { everyone: true }, data: 2 }])
  await expect.poll(() => tim.eventsOfType('run')).toEqual([1, 2])
  expect(tim.received.ended).toBe(false)
})

test('a newer check of a user overrides an older one that takes longer', async () => {
  const { app, ...server } = await testServer({ identify: () => callerWith({}) })
  const slow = Promise.withResolvers<Caller>()
  const looks = [slow.promise, Promise.resolve(callerWith({ Tools: 2 }))]
  const elapsed = () => performance.now()
  const events = createEvents({ ...server, db: {}, elapsed })
  eventsRoute(app, { events, elapsed, identify: () => looks.shift()! })
  const url = `http://127.0.0.1:${await portOf(app)}`
  const ada = await openEventStreamAs(url, 'ada')
  events.publish([accessChanged('u1'), accessChanged('u1')])
  await pause(20)
  slow.resolve(callerWith({}))
  await expect.poll(() => ada.eventsOfType('access')).toHaveLength(2)
  events.publish([{ type: 'entry', to: { role: ['Tools', 2] }, data: 'for level 2' }])
  await expect.poll(() => ada.eventsOfType('entry')).toEqual(['for level 2'])
})

test('writes missed events to a new screen, none of them twice, and reports who has received them', async () => {
  const notification = (id: string): LiveEvent => ({ id, type: 'notification', to: { everyone: true }, data: id })
  const delivered: [string, readonly string[]][] = []
  const hand: ((events: readonly LiveEvent[]) => boolean)[] = []
  const deliverOnce: DeliverOnce = {
    missed: (_userId, write) => void hand.push(write),
    delivered: (id, userIds) => void delivered.push([id, userIds]),
  }
  const { events, url } = await startEventServer({ deliverOnce })
  const ada = await openEventStreamAs(url, 'ada')
  await openEventStreamAs(url, 'ada')
  events.publish([notification('a')])
  expect(hand.map((write) => write([notification('a'), notification('b')]))).toEqual([true, true])
  events.publish([notification('b'), notification('c')])
  await expect.poll(() => ada.eventsOfType('notification')).toEqual(['a', 'b', 'c'])
  expect(delivered).toEqual([
    ['a', ['u1']],
    ['b', ['u1']],
    ['c', ['u1']],
  ])
  await ada.close()
  let n = 0
  await expect.poll(() => hand[0]!([notification(`late ${n++}`)])).toBe(false)
})

test('events sent to a program with an API key count neither as missed nor as delivered', async () => {
  const calls: string[] = []
  const deliverOnce: DeliverOnce = { missed: (id) => void calls.push(id), delivered: (id) => void calls.push(id) }
  const { events, url, changed } = await startEventServer({ deliverOnce })
  changed.set('ada', callerWith({ Tools: 1 }, byKey))
  const program = await openEventStreamAs(url, 'ada')
  events.publish([{ id: 'a', type: 'notification', to: { everyone: true }, data: 'a' }])
  await expect.poll(() => program.eventsOfType('notification')).toEqual(['a'])
  expect(calls).toEqual([])
})

test('disconnects a client that does not read', async () => {
  const { app, events, url } = await startEventServer()
  const socket = (await import('node:net')).connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: ada\r\n\r\n')
  socket.pause()
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  await expect.poll(connections).toBe(1)
  const data = 'x'.repeat(200_000)
  const publishAndCount = () => {
    events.publish([{ type: 'run', to: { everyone: true }, data }])
    return connections()
  }
  await expect.poll(publishAndCount, { interval: 5 }).toBe(0)
  socket.destroy()
})

test('does not delay the stop of the server', async () => {
  const { app, url } = await startEventServer()
  const { received } = await openEventStreamAs(url, 'ada')
  await app.close()
  await expect.poll(() => received.ended).toBe(true)
})

test('a screen receives the events since it requested its data, and none that are for other users', async () => {
  const { events, url, skip } = await startEventServer()
  skip(seconds(5))
  const run = (n: number, to: LiveEvent['to']): LiveEvent => ({
    type: 'run',
    to,
    data: { tool: 'keepalive', id: `${n}` },
  })
  events.publish([
    run(1, { userId: 'u1' }),
    run(2, { userId: 'u2' }),
    { type: 'inbox', to: { userId: 'u1' }, data: null },
  ])
  const ada = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => ada.eventsOfType('inbox')).toEqual([null])
  expect([ada.eventsOfType('run'), ada.eventsOfType('missed')]).toEqual([[{ tool: 'keepalive', id: '1' }], []])
  const next = await openEventStreamAs(url, 'ada')
  events.publish([{ type: 'inbox', to: { userId: 'u1' }, data: null }])
  await expect.poll(() => next.eventsOfType('inbox')).toEqual([null])
  expect(next.eventsOfType('run')).toEqual([])
})

test('a notification that one screen has shown only changes the inbox of the next', async () => {
  const { events, url, skip } = await startEventServer({ deliverOnce: { missed: () => {}, delivered: () => {} } })
  skip(seconds(5))
  const first = await openEventStreamAs(url, 'ada')
  events.publish([{ id: 'a', type: 'notification', to: { userId: 'u1' }, data: 'a' }])
  await expect.poll(() => first.eventsOfType('notification')).toEqual(['a'])
  const next = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => next.eventsOfType('inbox')).toEqual([null])
  expect(next.eventsOfType('notification')).toEqual([])
})

test('a screen that loaded its data before the server started receives `missed`', async () => {
  const { url } = await startEventServer()
  const ada = await openEventStreamAs(url, 'ada', 9_999)
  await expect.poll(() => ada.eventsOfType('missed')).toEqual([null])
})

test('open and new screens receive `missed` when events of other instances may be lost', async () => {
  const { events, url, skip } = await startEventServer()
  skip(seconds(5))
  const open = await openEventStreamAs(url, 'ada')
  events.publish([eventsMissed])
  await expect.poll(() => open.eventsOfType('missed')).toEqual([null])
  const next = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => next.eventsOfType('missed')).toEqual([null])
  skip(seconds(5))
  const later = await openEventStreamAs(url, 'ada', seconds(4))
  events.publish([{ type: 'inbox', to: { userId: 'u1' }, data: null }])
  await expect.poll(() => later.eventsOfType('inbox')).toEqual([null])
  expect(later.eventsOfType('missed')).toEqual([])
})

test('a screen whose user changes while it connects is checked again and receives only the new roles', async () => {
  const { events, url, skip, once } = await startEventServer()
  skip(seconds(5))
  events.publish([accessChanged('u1'), { type: 'inbox', to: { userId: 'u1' }, data: null }])
  once.set('ada', callerWith({ Tools: 2 }))
  const ada = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => ada.eventsOfType('roles').map(({ Tools }) => Tools)).toEqual([2, 1])
  expect([ada.eventsOfType('access'), ada.eventsOfType('inbox')]).toEqual([[], [null]])
})

test('before `missed`, streams of ended sessions end and others receive changed roles', async () => {
  const { events, url, signedOut, changed } = await startEventServer()
  const [ada, tim] = [await openEventStreamAs(url, 'ada'), await openEventStreamAs(url, 'tim')]
  signedOut.add('ada')
  changed.set('tim', callerWith({ Tools: 1 }))
  events.publish([eventsMissed])
  await expect.poll(() => ada.received.ended).toBe(true)
  expect([ada.eventsOfType('access'), ada.eventsOfType('missed')]).toEqual([[null], []])
  await expect.poll(() => tim.eventsOfType('missed')).toEqual([null])
  expect(tim.received.text.lastIndexOf('event: roles')).toBeLessThan(tim.received.text.indexOf('event: missed'))
  expect(tim.eventsOfType('roles').map(({ Tools }) => Tools)).toEqual([2, 1])
  expect(tim.received.ended).toBe(false)
})

test('a program receives recent events one by one, or a missed event if there are too many', async () => {
  const { events, url, changed, skip } = await startEventServer({
    deliverOnce: { missed: () => {}, delivered: () => {} },
  })
  changed.set('ada', callerWith({ Tools: 1 }, byKey))
  skip(seconds(5))
  const runs = (count: number, note: string) =>
    Array.from(
      { length: count },
      (_, id): LiveEvent => ({ type: 'run', to: { userId: 'u1' }, data: { tool: 'keepalive', id: `${id}`, note } }),
    )
  events.publish([...runs(20, ''), { id: 'a', type: 'notification', to: { everyone: true }, data: 'a' }])
  const program = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => program.eventsOfType('notification')).toEqual(['a'])
  expect([program.eventsOfType('run').length, program.eventsOfType('inbox')]).toEqual([20, []])
  events.publish(runs(1_500, 'x'.repeat(200)))
  const next = await openEventStreamAs(url, 'ada', seconds(4))
  await expect.poll(() => next.eventsOfType('missed')).toEqual([null])
  events.publish(runs(1, 'last'))
  await expect.poll(() => next.eventsOfType('run').length).toBe(1)
  expect(next.received.ended).toBe(false)
})

test('accepts only whole milliseconds up to ten seconds for within', async () => {
  const { url } = await startEventServer()
  const requests = ['10001', '-1', '1e3', ''].map((within) =>
    fetch(`${url}/api/v1/events?within=${within}`, { headers: { authorization: 'ada' } }),
  )
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([400, 400, 400, 400])
})
