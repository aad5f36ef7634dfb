import { expect, test } from 'vitest'
import { openEventStreamAs, startEventServer } from '../../../test/support/scenes/live-streams.ts'
import { byKey, callerWith } from '../../../test/support/scenes/test-server.ts'
import { seconds } from '../../shared/time.ts'
import { accessChanged, eventsMissed, type LiveEvent } from './events.ts'

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
  expect((await openEventStreamAs(url, 'ada')).eventsOfType('run')).toEqual([])
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
