import { expect, test } from 'vitest'
import { seconds } from '../../shared/time.ts'
import { accessChanged, eventsMissed, type LiveEvent } from './events.ts'
import { snapshots } from './snapshots.ts'

function scene() {
  let [at, looks] = [0, 0]
  let say: (event: LiveEvent) => void = () => {}
  let gate: Promise<void> | undefined
  const events = {
    subscribe: (listener: typeof say) => {
      say = listener
      return () => {}
    },
  }
  const share = snapshots<{ ownerId: string; look: number }>(
    { events, elapsed: () => at },
    { most: 10, keptFor: seconds(10) },
  )
  const look = async () => {
    looks += 1
    const value = { ownerId: 'ada', look: looks }
    await gate
    return value
  }
  return {
    ask: () => share('page', look),
    pass: (ms: number) => {
      at += ms
    },
    change: (userId: string) => say(accessChanged(userId)),
    miss: () => say(eventsMissed),
    run: (userId: string) => say({ type: 'run', to: { userId }, data: null }),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = undefined
        resolve()
      }
    },
  }
}

test('requests share a lookup for some seconds, unless its owner changes or may have changed something', async () => {
  const { ask, pass, change, miss, run } = scene()
  const first = await Promise.all([ask(), ask(), ask()])
  expect(first.map((value) => value?.look)).toEqual([1, 1, 1])
  pass(seconds(9))
  change('grace')
  run('ada')
  expect((await ask())?.look).toBe(1)
  change('ada')
  expect((await ask())?.look).toBe(2)
  miss()
  expect((await ask())?.look).toBe(3)
  pass(seconds(10))
  expect((await ask())?.look).toBe(4)
})

test('a lookup that began before a change is repeated for all its callers', async () => {
  const { ask, change, hold } = scene()
  const release = hold()
  const earlier = ask()
  change('ada')
  const later = ask()
  release()
  expect((await earlier)?.look).toBe(2)
  expect((await later)?.look).toBe(2)
  expect((await ask())?.look).toBe(2)
})

test('a missing value is looked up each time', async () => {
  let looks = 0
  const share = snapshots({ events: { subscribe: () => () => {} }, elapsed: () => 0 }, { most: 1, keptFor: seconds(1) })
  const look = async () => {
    looks += 1
    return undefined
  }
  expect([await share('a', look), await share('a', look), looks]).toEqual([undefined, undefined, 2])
})
