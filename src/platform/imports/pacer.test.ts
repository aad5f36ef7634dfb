import { expect, test, vi } from 'vitest'
import { pacer } from './pacer.ts'

/** Begins works of many steps of 1 ms each, and counts how many go on in one turn of the event loop, and for how long. */
async function worked(works: number) {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  let isOver = false
  let [begun, longest] = [0, 0]
  const look = () => {
    longest = Math.max(longest, now - begun)
    begun = now
    if (!isOver) setImmediate(look)
  }
  const work = async () => {
    const pause = pacer()
    for (let step = 0; step < 100; step += 1) {
      now += 1
      await pause()
    }
  }
  const all = Promise.all(Array.from({ length: works }, work))
  look()
  await all
  isOver = true
  return { longest, took: now }
}

test('work in small steps lets others have their turn every 10 ms', async () => {
  expect(await worked(1)).toEqual({ longest: 10, took: 100 })
})

test('of many works that wait, one goes on in each turn', async () => {
  expect((await worked(20)).longest).toBeLessThanOrEqual(20)
})
