import { expect, test, vi } from 'vitest'
import { pacer } from './pacer.ts'

/** Runs tasks of 100 steps of 1 ms each; returns the ms of the longest turn of the event loop and of all tasks. */
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

test('a task in small steps yields to other work every 10 ms', async () => {
  expect(await worked(1)).toEqual({ longest: 10, took: 100 })
})

test('of many waiting tasks, each turn of the event loop continues one', async () => {
  expect((await worked(20)).longest).toBeLessThanOrEqual(20)
})
