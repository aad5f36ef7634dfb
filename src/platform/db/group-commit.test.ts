import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createHealth } from '../health.ts'
import { groupCommit } from './group-commit.ts'

/** A disk whose writes end when the test calls `end`. */
function disk() {
  const groups: string[][] = []
  let under: PromiseWithResolvers<void> | undefined
  return {
    groups,
    write: async (group: readonly string[]) => {
      groups.push([...group])
      under = Promise.withResolvers()
      await under.promise
      return group.map((one) => `${one} is kept`)
    },
    /** Waits until a group is being written, then ends that write. */
    async end(error?: Error) {
      await expect.poll(() => under).toBeDefined()
      const { resolve, reject } = under!
      under = undefined
      if (error) reject(error)
      else resolve()
    },
  }
}

describe.each(['sqlite', 'postgres'] as const)('group commit on %s', (kind) => {
  test('groups items that arrive during a write, and resolves each with its own answer', async () => {
    const { groups, write, end } = disk()
    const { add } = groupCommit({ kind }, { most: 10, write })
    const first = add('a')
    await expect.poll(() => groups).toEqual([['a']])
    const others = ['b', 'c'].map(add)
    await end()
    await end()
    expect(await Promise.all([first, ...others])).toEqual(['a is kept', 'b is kept', 'c is kept'])
    expect(groups).toEqual([['a'], ['b', 'c']])
  })

  test('keeps groups within the limit', async () => {
    const { groups, write, end } = disk()
    const { add } = groupCommit({ kind }, { most: 2, write })
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(add))
    for (let group = 0; group < 3; group += 1) await end()
    expect(await all).toHaveLength(5)
    expect(groups.flat()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(Math.max(...groups.map((group) => group.length))).toBe(2)
  })

  test('a failed write rejects only the items of its group', async () => {
    const { groups, write, end } = disk()
    const { add } = groupCommit({ kind }, { most: 10, write })
    const first = add('a').catch((error: Error) => error.message)
    await expect.poll(() => groups).toEqual([['a']])
    const second = add('b')
    await end(new Error('the disk is full'))
    await end()
    expect([await first, await second]).toEqual(['the disk is full', 'b is kept'])
  })

  test('counts as stalled only while a group has no outcome, and a failure is an outcome', async () => {
    const { groups, write, end } = disk()
    let elapsed = 0
    const health = createHealth(() => elapsed)
    const { add } = groupCommit({ kind }, { most: 10, write, watch: health.watch('badges') })
    const standstill = () => {
      elapsed += 15_000
      return health.stalledActivity()
    }
    const first = add('a').catch((error: Error) => error.message)
    expect(standstill()).toBe('badges')
    await end(new Error('the disk is full'))
    expect([await first, standstill()]).toEqual(['the disk is full', undefined])
    const second = add('b')
    await expect.poll(() => groups).toHaveLength(2)
    expect(standstill()).toBe('badges')
    const third = add('c')
    await end()
    await second
    expect(health.stalledActivity()).toBeUndefined()
    await end()
    await third
    expect(standstill()).toBeUndefined()
  })

  test('drained resolves once the write has ended', async () => {
    const { write, end } = disk()
    const { add, drained } = groupCommit({ kind }, { most: 10, write })
    let answered = ''
    void add('a').then((answer) => {
      answered = answer
    })
    await Promise.all([drained(), end()])
    await expect.poll(() => answered).toBe('a is kept')
    await drained()
  })
})

test('on sqlite the write of a large next group starts before the previous group is answered', async () => {
  const { groups, write, end } = disk()
  const { add } = groupCommit({ kind: 'sqlite' }, { most: 10, write })
  const groupsWhenAnswered = add('a').then(() => groups.length)
  await expect.poll(() => groups).toEqual([['a']])
  const crowd = ['b', 'c'].map(add)
  await end()
  expect(await groupsWhenAnswered).toBe(2)
  await end()
  await Promise.all(crowd)
})

test.each(['sqlite', 'postgres'] as const)('on %s a group never waits for more items', async (kind) => {
  const groups: string[][] = []
  const { add } = groupCommit(
    { kind },
    { most: 10, write: (group: readonly string[]) => nextTurn(groups.push([...group])).then(() => group) },
  )
  await Promise.all(['a', 'b', 'c', 'd'].map(add))
  await add('e')
  expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})
