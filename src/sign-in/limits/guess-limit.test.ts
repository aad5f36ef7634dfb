import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  bothDialects,
  type Dialect,
  dialects,
  freshDatabase,
  insertUser,
} from '../../../test/support/database/databases.ts'
import { minutes } from '../../shared/time.ts'
import { type GuessLimit, guessLimit } from './guess-limit.ts'
import { rememberNetwork } from './known-places.ts'

function limitOn(dialect: Dialect) {
  const it = {
    at: minutes(60),
    here: undefined as unknown as GuessLimit,
    opened: undefined as unknown as Awaited<ReturnType<typeof freshDatabase>>,
    open: (): GuessLimit => guessLimit({ db: it.opened.db, now: () => it.at }),
    /** Guesses the password of an unknown username. */
    guess: (name: string, address: string, check: () => Promise<boolean>, limit?: GuessLimit): Promise<boolean> =>
      (limit ?? it.here).guess({ name, userId: undefined, address }, check),
  }
  beforeAll(async () => {
    it.opened = await freshDatabase(dialect)
    it.here = it.open()
    await insertUser(it.opened.db, 'known')
  })
  afterAll(() => it.opened.drop())
  return it
}
const wrong = async () => false
const right = async () => true

describe.each(bothDialects)('the limit of wrong guesses on %s', (dialect) => {
  const it = limitOn(dialect)

  test('is shared by all instances, and checks only five of many concurrent guesses', async () => {
    const instances = [it.here, it.open()]
    let checked = 0
    const check = async () => {
      checked += 1
      return false
    }
    const guesses = Array.from({ length: 40 }, (_, n) => it.guess('ada', '192.0.2.1', check, instances[n % 2]))
    const outcomes = await Promise.allSettled(guesses)
    expect(checked).toBe(5)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(35)
  })
})

describe.each(dialects)('the limit of wrong guesses in one instance on %s', (dialect) => {
  const it = limitOn(dialect)
  const { guess } = it
  const rows = async () => (await it.opened.db.q.selectFrom('rate_limits').select('id').execute()).length

  test('reports how long to wait, and ends after 15 minutes', async () => {
    for (let n = 0; n < 5; n++) await guess('bob', '192.0.2.1', wrong)
    it.at += minutes(14)
    await expect(guess('bob', '192.0.2.1', right)).rejects.toMatchObject({ status: 429, retryAfter: 60 })
    it.at += minutes(1)
    expect(await guess('bob', '192.0.2.1', right)).toBe(true)
  })

  test('ends when the clock is set back', async () => {
    for (let n = 0; n < 5; n++) await guess('eve', '192.0.2.1', wrong)
    it.at -= minutes(30)
    expect(await guess('eve', '192.0.2.1', right)).toBe(true)
    it.at += minutes(30)
  })

  test('treats an IPv6 /64 as one address, and both forms of an IPv4 address as the same', async () => {
    for (let n = 1; n <= 5; n++) await guess('cleo', `2001:db8:1:2::${n}`, wrong)
    await expect(guess('cleo', '2001:db8:1:2:ffff::1', right)).rejects.toMatchObject({ status: 429 })
    expect(await guess('cleo', '2001:db8:1:3::1', right)).toBe(true)
    for (let n = 1; n <= 5; n++) await guess('dan', '198.51.100.1', wrong)
    await expect(guess('dan', '::ffff:198.51.100.1', right)).rejects.toMatchObject({ status: 429 })
  })

  test.each([
    ['an IPv4 address', () => '203.0.113.1', 20],
    ['the /24 around it', (n: number) => `203.0.114.${n}`, 60],
    ['an IPv6 /64', (n: number) => `2001:db8:1:1::${n}`, 20],
    ['a /56', (n: number) => `2001:db8:2:1${(n % 256).toString(16).padStart(2, '0')}::1`, 60],
    ['a /48', (n: number) => `2001:db8:3:${n.toString(16)}00::1`, 100],
  ] as const)('counts guesses from %s across all usernames', async (_what, from, most) => {
    let checked = 0
    for (let n = 0; n < most + 3; n++)
      await guess(`spray ${n}`, from(n), wrong).then(
        () => (checked += 1),
        () => {},
      )
    expect(checked).toBe(most)
    await expect(guess('honest', from(200), right)).rejects.toMatchObject({ status: 429, retryAfter: 900 })
    expect(await guess('honest', '192.0.2.200', right)).toBe(true)
  })

  test('stores nothing for the usernames that a blocked network still tries', async () => {
    const from = '198.18.0.1'
    for (let n = 0; n < 20; n++) await guess(`name ${n}`, from, wrong)
    const before = await rows()
    for (let n = 20; n < 30; n++) await expect(guess(`name ${n}`, from, wrong)).rejects.toMatchObject({ status: 429 })
    expect(await rows()).toBe(before)
  })

  test('stores nothing for the networks that still guess at an account over its limit', async () => {
    for (let n = 0; n < 10; n++) await guess('flo', `100.64.${n}.1`, wrong)
    const before = await rows()
    await expect(guess('flo', '100.64.99.1', wrong)).rejects.toMatchObject({ status: 429 })
    expect(await rows()).toBe(before)
  })

  test('does not count a guess that could not be checked', async () => {
    const broken = async () => {
      throw new Error('no database')
    }
    it.at += minutes(15)
    for (let n = 0; n < 6; n++) await expect(guess('eve', '192.0.2.1', broken)).rejects.toThrow('no database')
    expect(await guess('eve', '192.0.2.1', right)).toBe(true)
  })

  test('rejects a flood instead of queuing it, and accepts guesses again afterwards', async () => {
    let release = () => {}
    const held = new Promise<boolean>((resolve) => {
      release = () => resolve(true)
    })
    const flood = (from: (n: number) => string) =>
      Array.from({ length: 60 }, (_, n) => guess(`flood ${n}`, from(n), () => held))
    const ofOne = Promise.allSettled(flood((n) => `203.0.113.${n}`))
    expect(await guess('flo', '192.0.2.2', right)).toBe(true)
    const outcomes = Promise.allSettled([...flood((n) => `198.51.${n}.1`), ofOne])
    await expect(guess('flo', '192.0.2.2', right)).rejects.toMatchObject({ status: 429, retryAfter: 5 })
    await rememberNetwork(it.opened.db.q, 'known', '192.0.2.2', it.at)
    expect(await it.here.guess({ name: 'flo', userId: 'known', address: '192.0.2.2' }, right)).toBe(true)
    release()
    expect((await ofOne).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    // The 30 other queued guesses of strangers, and the `ofOne` promise itself.
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(31)
    expect(await guess('flo', '192.0.2.2', right)).toBe(true)
  })
})
