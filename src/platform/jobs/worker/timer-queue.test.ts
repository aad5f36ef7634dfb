import { expect, onTestFinished, test, vi } from 'vitest'
import { seconds } from '../../../shared/time.ts'
import { alarm, hostLimiter } from './timer-queue.ts'

/** A limiter with a clock that the test sets; the tasks it started, and those it refused with their delays in ms. */
function scene() {
  const at = { elapsed: 0 }
  const limiter = hostLimiter(() => at.elapsed, 100)
  const began: string[] = []
  const refused: [name: string, after: number][] = []
  const ends = new Map<string, () => void>()
  const add = (host: string, name: string, turnAt: number, ownerId = 'ada') =>
    limiter.add(host, {
      ownerId,
      turnAt,
      start() {
        began.push(name)
        return new Promise((resolve) => ends.set(name, resolve))
      },
      refuse: (after) => refused.push([name, after]),
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    // The next task starts in a later microtask.
    await new Promise(setImmediate)
  }
  return { at, began, refused, add, end }
}

/** Fills a host: two tasks run and 20 wait, in the order of their turns. */
function crowded() {
  const host = scene()
  host.add('one', 'first', 0)
  host.add('one', 'second', 0)
  for (let i = 0; i < 20; i++) host.add('one', `waits${i}`, 100 + i)
  return host
}

test('at most two tasks per host are in flight, and other hosts are not delayed', async () => {
  const { began, add, end } = scene()
  for (const name of ['a', 'b', 'c']) add('one', name, 0)
  add('two', 'elsewhere', 0)
  expect(began).toEqual(['a', 'b', 'elsewhere'])
  await end('elsewhere')
  expect(began).toEqual(['a', 'b', 'elsewhere'])
  await end('b')
  expect(began).toEqual(['a', 'b', 'elsewhere', 'c'])
})

test('the oldest turn starts first, and equal turns start in the order of arrival', async () => {
  const { began, add, end } = scene()
  for (const name of ['a', 'b']) add('one', name, 99)
  for (const turnAt of [20, 30, 25, 10]) add('one', `turn ${turnAt}`, turnAt)
  add('one', 'another turn 10', 10)
  for (let i = 0; began[i]; i++) await end(began[i]!)
  expect(began.slice(2)).toEqual(['turn 10', 'another turn 10', 'turn 20', 'turn 25', 'turn 30'])
})

test('a host with 20 waiting tasks refuses the newest turn, even if it arrived first', () => {
  const { began, refused, add } = crowded()
  expect(refused).toEqual([])
  add('one', 'newest', 500)
  add('one', 'oldest', 50)
  expect(refused.map(([name]) => name)).toEqual(['newest', 'waits19'])
  expect(began).toEqual(['first', 'second'])
})

test('refused tasks are retried after a second, half a second apart, in the order of their refusal', () => {
  const { at, refused, add } = crowded()
  const refuse = () => {
    add('one', 'newest', 500)
    return refused.at(-1)?.[1]
  }
  expect([refuse(), refuse(), refuse()]).toEqual([seconds(1.5), seconds(2), seconds(2.5)])
  at.elapsed = seconds(0.2)
  expect(refuse()).toBe(seconds(2.8))
  at.elapsed = seconds(10)
  expect(refuse()).toBe(seconds(1.5))
})

test('an idle host still counts the refused tasks that will be retried', async () => {
  const { at, began, refused, add, end } = crowded()
  for (let i = 0; i < 4; i++) add('one', 'newest', 500)
  for (let i = 0; began[i]; i++) await end(began[i]!)
  expect(began).toHaveLength(22)
  at.elapsed = seconds(1)
  for (let i = 0; i < 23; i++) add('one', `again${i}`, i)
  expect(refused.at(-1)).toEqual(['again22', seconds(2.5)])
})

test('owners take turns on a host, however many older tasks one of them has', async () => {
  const { began, add, end } = scene()
  for (let i = 0; i < 10; i++) add('one', `eve${i}`, i, 'eve')
  for (const name of ['ada', 'ada too']) add('one', name, 500, 'ada')
  add('one', 'bob', 600, 'bob')
  for (let i = 0; began[i]; i++) await end(began[i]!)
  expect(began.slice(0, 7)).toEqual(['eve0', 'eve1', 'ada', 'bob', 'eve2', 'ada too', 'eve3'])
})

test('a crowded host refuses a task of the owner with the most tasks', () => {
  const { refused, add } = crowded()
  add('one', 'bob', 500, 'bob')
  expect(refused.map(([name]) => name)).toEqual(['waits19'])
})

test('each owner gets at most half of the free capacity, so none can occupy the worker', async () => {
  const { began, refused, add, end } = scene()
  const crowd = (owner: string) => {
    for (let i = 0; i < 100; i++) add(`${owner}${i}`, `${owner}${i}`, 0, owner)
    return began.filter((name) => name.startsWith(owner)).length
  }
  expect([crowd('eve'), crowd('mallory'), crowd('trudy')]).toEqual([50, 25, 13])
  expect(refused.at(-1)).toEqual(['trudy99', seconds(10)])
  add('elsewhere', 'ada', 0, 'ada')
  expect(began.at(-1)).toBe('ada')
  await end('eve0')
  add('elsewhere', 'trudy again', 0, 'trudy')
  expect(refused.at(-1)).toEqual(['trudy again', seconds(10)])
  for (let i = 1; i < 20; i++) await end(`eve${i}`)
  add('elsewhere', 'trudy once more', 0, 'trudy')
  expect(began.at(-1)).toBe('trudy once more')
})

test('a sleep ends immediately for due work, by a timer for later work, and otherwise at its end', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
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
