import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { callerWith } from '../../../test/support/scenes/test-server.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { importTurns } from './turns.ts'

function scene() {
  let now: Milliseconds = 0
  const { onRequest, inTurn } = importTurns(() => now)
  const gaveWay: string[] = []
  /** Begins an upload by this user, whose body then comes or whose connection closes. */
  async function upload(id: string) {
    const caller = callerWith({})
    const raw = new EventEmitter()
    const destroy = () => {
      gaveWay.push(id)
      raw.emit('close')
    }
    const request = { caller: { ...caller, user: { ...caller.user, id } }, raw: { socket: { destroy } } }
    await onRequest(request as unknown as FastifyRequest, { raw } as unknown as FastifyReply)
    return {
      hangUp: () => raw.emit('close'),
      work: (work: () => Promise<string>) => inTurn(request as unknown as FastifyRequest, work),
    }
  }
  return { upload, gaveWay, pass: (time: Milliseconds) => (now += time) }
}
const busy = { status: 429, retryAfter: 5 }

test('one user imports one file at a time, from its first byte to the end of its work', async () => {
  const { upload } = scene()
  const first = await upload('ada')
  await expect(upload('ada')).rejects.toMatchObject(busy)
  first.hangUp()
  const second = await upload('ada')
  let finish = (_done: string) => {}
  const working = second.work(() => new Promise((resolve) => (finish = resolve)))
  second.hangUp()
  await expect(upload('ada')).rejects.toMatchObject(busy)
  finish('done')
  expect(await working).toBe('done')
  await upload('ada')
})

test('slow uploads give way to others, the oldest first, and only to those who need their place', async () => {
  const { upload, gaveWay, pass } = scene()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await upload(id)
  await expect(upload('g')).rejects.toMatchObject(busy)
  pass(seconds(5))
  await upload('g')
  await upload('h')
  expect(gaveWay).toEqual(['a', 'b'])
})

test('four files are worked on at once, and uploads take none of their places', async () => {
  const { upload } = scene()
  const endless = () => new Promise<string>(() => {})
  for (const id of ['a', 'b', 'c', 'd']) void (await upload(id)).work(endless)
  const fifth = await upload('e')
  await expect(fifth.work(endless)).rejects.toMatchObject(busy)
})

test('a user begins twenty files a minute, also if none of them is taken, and others as many', async () => {
  const { upload, pass } = scene()
  for (let count = 0; count < 20; count += 1) (await upload('ada')).hangUp()
  pass(seconds(20))
  await expect(upload('ada')).rejects.toMatchObject({
    status: 429,
    message: 'Too many imports. Try again in 40 seconds.',
    retryAfter: 40,
  })
  ;(await upload('grace')).hangUp()
  pass(seconds(40))
  ;(await upload('ada')).hangUp()
})
