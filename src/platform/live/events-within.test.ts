import { expect, test } from 'vitest'
import { started, watch } from '../../../test/support/scenes/live-streams.ts'
import { byKey, callerWith } from '../../../test/support/scenes/test-server.ts'
import { seconds } from '../../shared/time.ts'
import { accessChanged, eventsMissed, type LiveEvent } from './events.ts'

test('a screen receives the events since it requested its data, and none that are for other users', async () => {
  const { events, url, skip } = await started()
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
  const ada = await watch(url, 'ada', seconds(4))
  await expect.poll(() => ada.heard('inbox')).toEqual([null])
  expect([ada.heard('run'), ada.heard('missed')]).toEqual([[{ tool: 'keepalive', id: '1' }], []])
  expect((await watch(url, 'ada')).heard('run')).toEqual([])
})

test('a notification that one screen has shown only changes the inbox of the next', async () => {
  const { events, url, skip } = await started({ deliverOnce: { missed: () => {}, delivered: () => {} } })
  skip(seconds(5))
  const first = await watch(url, 'ada')
  events.publish([{ id: 'a', type: 'notification', to: { userId: 'u1' }, data: 'a' }])
  await expect.poll(() => first.heard('notification')).toEqual(['a'])
  const next = await watch(url, 'ada', seconds(4))
  await expect.poll(() => next.heard('inbox')).toEqual([null])
  expect(next.heard('notification')).toEqual([])
})

test('a screen that requested its data before the server started receives a missed event', async () => {
  const { url } = await started()
  const ada = await watch(url, 'ada', 9_999)
  await expect.poll(() => ada.heard('missed')).toEqual([null])
})

test('open and new screens receive a missed event when those of other instances may be lost', async () => {
  const { events, url, skip } = await started()
  skip(seconds(5))
  const open = await watch(url, 'ada')
  events.publish([eventsMissed])
  await expect.poll(() => open.heard('missed')).toEqual([null])
  const next = await watch(url, 'ada', seconds(4))
  await expect.poll(() => next.heard('missed')).toEqual([null])
  skip(seconds(5))
  const later = await watch(url, 'ada', seconds(4))
  events.publish([{ type: 'inbox', to: { userId: 'u1' }, data: null }])
  await expect.poll(() => later.heard('inbox')).toEqual([null])
  expect(later.heard('missed')).toEqual([])
})

test('a screen whose user changes while it connects is checked again and receives only the new roles', async () => {
  const { events, url, skip, once } = await started()
  skip(seconds(5))
  events.publish([accessChanged('u1'), { type: 'inbox', to: { userId: 'u1' }, data: null }])
  once.set('ada', callerWith({ Tools: 2 }))
  const ada = await watch(url, 'ada', seconds(4))
  await expect.poll(() => ada.heard('roles').map(({ Tools }) => Tools)).toEqual([2, 1])
  expect([ada.heard('access'), ada.heard('inbox')]).toEqual([[], [null]])
})

test('before a missed event, streams of ended sessions end and others receive changed roles', async () => {
  const { events, url, gone, changed } = await started()
  const [ada, tim] = [await watch(url, 'ada'), await watch(url, 'tim')]
  gone.add('ada')
  changed.set('tim', callerWith({ Tools: 1 }))
  events.publish([eventsMissed])
  await expect.poll(() => ada.seen.ended).toBe(true)
  expect([ada.heard('access'), ada.heard('missed')]).toEqual([[null], []])
  await expect.poll(() => tim.heard('missed')).toEqual([null])
  expect(tim.seen.text.lastIndexOf('event: roles')).toBeLessThan(tim.seen.text.indexOf('event: missed'))
  expect(tim.heard('roles').map(({ Tools }) => Tools)).toEqual([2, 1])
  expect(tim.seen.ended).toBe(false)
})

test('a program receives recent events one by one, or a missed event if there are too many', async () => {
  const { events, url, changed, skip } = await started({ deliverOnce: { missed: () => {}, delivered: () => {} } })
  changed.set('ada', callerWith({ Tools: 1 }, byKey))
  skip(seconds(5))
  const runs = (count: number, note: string) =>
    Array.from(
      { length: count },
      (_, id): LiveEvent => ({ type: 'run', to: { userId: 'u1' }, data: { tool: 'keepalive', id: `${id}`, note } }),
    )
  events.publish([...runs(20, ''), { id: 'a', type: 'notification', to: { everyone: true }, data: 'a' }])
  const program = await watch(url, 'ada', seconds(4))
  await expect.poll(() => program.heard('notification')).toEqual(['a'])
  expect([program.heard('run').length, program.heard('inbox')]).toEqual([20, []])
  events.publish(runs(1_500, 'x'.repeat(200)))
  const next = await watch(url, 'ada', seconds(4))
  await expect.poll(() => next.heard('missed')).toEqual([null])
  events.publish(runs(1, 'last'))
  await expect.poll(() => next.heard('run').length).toBe(1)
  expect(next.seen.ended).toBe(false)
})

test('accepts only whole milliseconds up to ten seconds for within', async () => {
  const { url } = await started()
  const asked = ['10001', '-1', '1e3', ''].map((within) =>
    fetch(`${url}/api/v1/events?within=${within}`, { headers: { authorization: 'ada' } }),
  )
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([400, 400, 400, 400])
})
