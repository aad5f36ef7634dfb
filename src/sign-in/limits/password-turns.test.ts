import { expect, test } from 'vitest'
import { createTurns, type Turn } from './password-turns.ts'

/** Tasks that record when they start, and run until `end` is called. */
function scene(mostWaiting = 50) {
  const run = createTurns({ atOnce: 2, ofStrangers: 1, mostWaiting })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    begin: (name: string, turn: Turn) =>
      run(turn, () => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.set(name, resolve))
      }),
    end: async (name: string) => {
      ends.get(name)?.()
      await new Promise(setImmediate)
    },
  }
}
const stranger = (owner: string): Turn => ({ owner, isKnown: false })
const knownUser = (owner: string): Turn => ({ owner, isKnown: true })

test('strangers never get the last worker, and take turns with known users', async () => {
  const { begun, begin, end } = scene()
  void begin('s1', stranger('a'))
  void begin('s2', stranger('a'))
  await new Promise(setImmediate)
  void begin('k1', knownUser('ada'))
  void begin('k2', knownUser('bob'))
  await new Promise(setImmediate)
  expect(begun).toEqual(['s1', 'k1'])
  await end('s1')
  expect(begun).toEqual(['s1', 'k1', 'k2'])
  await end('k1')
  expect(begun).toEqual(['s1', 'k1', 'k2', 's2'])
})

test('owners take turns, even if one of them queues more tasks', async () => {
  const { begun, begin, end } = scene()
  for (const name of ['a1', 'a2', 'a3']) void begin(name, stranger('a'))
  void begin('b1', stranger('b'))
  await new Promise(setImmediate)
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('rejects tasks beyond the queue limit, separately for strangers and known users', async () => {
  const { begin } = scene(1)
  void begin('s1', stranger('a'))
  void begin('s2', stranger('b'))
  await expect(begin('s3', stranger('c'))).rejects.toMatchObject({ status: 429, retryAfter: 5 })
  void begin('k1', knownUser('ada'))
  void begin('k2', knownUser('bob'))
  await expect(begin('k3', knownUser('cleo'))).rejects.toMatchObject({ status: 429 })
})

test('a failed task releases its turn', async () => {
  const run = createTurns({ atOnce: 2, ofStrangers: 1, mostWaiting: 1 })
  await expect(run(stranger('a'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await run(stranger('a'), async () => 'fine')).toBe('fine')
})
