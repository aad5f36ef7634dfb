import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { seconds } from '../../../shared/time.ts'
import { alarm } from './timer-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a sleep ends immediately for due work, by a timer for later work, and otherwise at its end', async () => {
  const bell = alarm(() => performance.now())
  const ended: string[] = []
  const sleep = (name: string) => bell.sleep(seconds(5)).then(() => ended.push(name))
  sleep('due')
  bell.wakeBy(Number.NEGATIVE_INFINITY)
  await Promise.resolve()
  expect(ended).toEqual(['due'])
  bell.reset()
  sleep('later')
  bell.wakeBy(performance.now() + seconds(2))
  await vi.advanceTimersByTimeAsync(seconds(2))
  expect(ended).toEqual(['due', 'later'])
  bell.reset()
  sleep('end')
  await vi.advanceTimersByTimeAsync(seconds(5) - 1)
  expect(ended).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toEqual(['due', 'later', 'end'])
})
