import { expect, onTestFinished, test, vi } from 'vitest'
import { seconds } from '../../shared/time.ts'
import { visitPermits } from './visit-limits.ts'

/** Visit places on a fake clock, and each visit's outcome: entered, or how long to wait before a retry. */
function scene() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const began = Date.now()
  const places = visitPermits(() => Date.now() - began)
  const outcomes: Record<string, number | 'entered'> = {}
  const leaving = new Map<string, () => void>()
  return {
    places,
    outcomes,
    enter(name: string, at = 'eve 192.0.2.1', { wait = seconds(1), hasWaited = false, hasRate = true } = {}) {
      void places.acquire({ name: at, hasRate }, { wait, hasWaited }).acquired.then((outcome) => {
        outcomes[name] = typeof outcome === 'number' ? outcome : 'entered'
        if (typeof outcome !== 'number') leaving.set(name, outcome)
      })
      return vi.advanceTimersByTimeAsync(0)
    },
    leave(name: string) {
      leaving.get(name)!()
      return vi.advanceTimersByTimeAsync(0)
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

test('at most two visits run at one place at a time, and at most two begin within a second', async () => {
  const { outcomes, enter, leave, pass } = scene()
  for (const name of ['a', 'b', 'c']) await enter(name)
  expect(outcomes).toEqual({ a: 'entered', b: 'entered' })
  await leave('a')
  await pass(999)
  expect(outcomes).not.toHaveProperty('c')
  await pass(1)
  expect(outcomes).toHaveProperty('c', 'entered')
  // The rate allows another visit, but two are still running.
  await enter('d')
  await pass(999)
  expect(outcomes).not.toHaveProperty('d')
  await leave('b')
  expect(outcomes).toHaveProperty('d', 'entered')
})

test('places are independent, so owners never wait for each other', async () => {
  const { outcomes, enter } = scene()
  for (let n = 0; n < 50; n++) await enter(`eve ${n}`)
  await enter('ada', 'ada 192.0.2.1')
  await enter('elsewhere', 'eve 192.0.2.2')
  expect(outcomes).toMatchObject({ ada: 'entered', elsewhere: 'entered' })
})

test('visits that cannot begin within a second get retry times half a second apart', async () => {
  const { outcomes, enter } = scene()
  for (let n = 0; n < 8; n++) await enter(`${n}`)
  expect(outcomes).toEqual({ 0: 'entered', 1: 'entered', 4: 1_500, 5: 2_000, 6: 2_500, 7: 3_000 })
})

test('visits that retry as agreed go before new ones', async () => {
  const { outcomes, enter, leave, pass } = scene()
  for (let n = 0; n < 8; n++) await enter(`${n}`)
  for (const name of ['0', '1']) await leave(name)
  await pass(seconds(1))
  for (const name of ['2', '3']) await leave(name)
  await pass(500)
  await enter('newcomer')
  await enter('returned', undefined, { hasWaited: true })
  await pass(500)
  expect(outcomes).toMatchObject({ newcomer: 2_000, returned: 'entered' })
})

test('a visit that has waited a second behind two hanging ones gives up, and the next in line moves up', async () => {
  const { outcomes, enter, leave, pass } = scene()
  for (const name of ['hangs', 'hangs too', 'first']) await enter(name)
  await pass(900)
  await enter('second')
  await pass(100)
  expect(outcomes).toHaveProperty('first', 1_500)
  await leave('hangs')
  expect(outcomes).toHaveProperty('second', 'entered')
})

test('visits to an exempt place have no rate limit, and wait in line while two are running', async () => {
  const { outcomes, enter, leave } = scene()
  for (let n = 0; n < 20; n++) await enter(`${n}`, 'app.internal:443', { hasRate: false, wait: seconds(10) })
  for (let n = 0; n < 18; n++) await leave(`${n}`)
  expect(Object.values(outcomes)).toEqual(Array(20).fill('entered'))
})

test('idle places are forgotten, and occupied places are not', async () => {
  const { places, outcomes, enter, pass } = scene()
  for (const name of ['a', 'b']) await enter(name)
  for (let n = 0; n < 3_000; n++) {
    places.tryAcquire({ name: `eve ${n}`, hasRate: true })?.()
    if (n % 1_000 === 0) await pass(seconds(2))
  }
  await enter('c')
  expect(outcomes).not.toHaveProperty('c')
})
