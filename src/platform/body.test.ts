import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { bodyOf, growingBuffer } from './body.ts'

/** A request whose body consists of these chunks and then ends, stays open (`goesOn`) or is aborted (`breaks`). */
function request(
  pieces: readonly string[],
  { length, breaks = false, goesOn = false }: { length?: number; breaks?: boolean; goesOn?: boolean } = {},
) {
  const message = new IncomingMessage(new Socket())
  if (length !== undefined) message.headers['content-length'] = String(length)
  for (const piece of pieces) message.push(Buffer.from(piece))
  if (breaks) message.destroy(new Error('aborted'))
  else if (!goesOn) message.push(null)
  return message
}

test('joining 100,000 one-byte chunks allocates less than twice their size', () => {
  const body = growingBuffer()
  for (let at = 0; at < 100_000; at += 1) body.add(Buffer.from([at % 256]))
  const whole = body.whole()
  expect([whole.length, whole[300], whole[99_999]]).toEqual([100_000, 44, 159])
  expect(whole.buffer.byteLength).toBeLessThan(200_000)
})

test('reads a body up to the limit, and rejects one that is too large or incomplete', async () => {
  expect((await bodyOf(request(['ab', 'c', 'd']), 4)).toString()).toBe('abcd')
  expect((await bodyOf(request(['ab', 'cd'], { length: 4 }), 4)).toString()).toBe('abcd')
  const tooLong = request(['ab', 'cde'], { goesOn: true })
  await expect(bodyOf(tooLong, 4)).rejects.toMatchObject({ status: 413 })
  expect(tooLong.destroyed).toBe(false)
  await expect(bodyOf(request([], { length: 5 }), 4)).rejects.toMatchObject({ status: 413 })
  await expect(bodyOf(request(['a'], { length: 2 }), 4)).rejects.toMatchObject({ status: 400 })
  await expect(bodyOf(request(['a'], { breaks: true }), 4)).rejects.toMatchObject({ status: 400 })
})

test('aborting stops waiting for an unfinished body and keeps the connection open', async () => {
  const stop = new AbortController()
  const going = request(['ab'], { goesOn: true })
  const body = bodyOf(going, 4, stop.signal)
  stop.abort(new Error('give way'))
  await expect(body).rejects.toThrow('give way')
  expect(going.destroyed).toBe(false)
})
