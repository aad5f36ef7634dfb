import { expect, test } from 'vitest'
import { fairQueue } from './fair-queue.ts'

/** A queue whose tasks log when they start or are refused, and run until `end`. */
function scene(options: Parameters<typeof fairQueue>[0]) {
  const queue = fairQueue(options)
  const log: string[] = []
  const leaves = new Map<string, () => void>()
  const add = (owner: string, name: string, at = 0) =>
    queue.add({
      owner,
      at,
      begin(release) {
        log.push(name)
        leaves.set(name, release)
      },
      refuse: () => log.push(`not ${name}`),
    })
  return { log, add, end: (name: string) => leaves.get(name)?.(), queue }
}

test('an owner who keeps adding tasks does not keep other owners waiting', () => {
  const { log, add, end } = scene({ concurrency: 1 })
  add('ada', 'ada')
  add('ada', 'ada again')
  add('eve', 'eve')
  end('ada')
  add('bob', 'bob')
  end('eve')
  for (const name of ['eve 2', 'eve 3']) add('eve', name)
  end('bob')
  end('ada again')
  expect(log).toEqual(['ada', 'eve', 'bob', 'ada again', 'eve 2'])
})

test('a full queue refuses the newest tasks of the owner with the most, so that other owners fit in', () => {
  const { log, add } = scene({ concurrency: 1, mostWaiting: 3 })
  for (const name of ['eve 0', 'eve 1', 'eve 2', 'eve 3', 'eve 4']) add('eve', name)
  add('ada', 'ada')
  add('bob', 'bob')
  add('cleo', 'cleo', 1)
  expect(log).toEqual(['eve 0', 'not eve 4', 'not eve 3', 'not eve 2', 'not cleo'])
})

test('run throws the refusal when the queue is full, and a task that fails frees its place', async () => {
  const { queue } = scene({ concurrency: 1, mostWaiting: 0, refusal: () => new Error('too many') })
  const failing = queue.run('ada', () => Promise.reject(new Error('broken')))
  await expect(queue.run('bob', async () => 'fine')).rejects.toThrow('too many')
  await expect(failing).rejects.toThrow('broken')
  expect(await queue.run('bob', async () => 'fine')).toBe('fine')
  expect(queue.isIdle()).toBe(true)
})
