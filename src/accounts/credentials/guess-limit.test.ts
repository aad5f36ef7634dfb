import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, freshDatabase } from '../../../test/support/database/databases.ts'
import { minutes } from '../../shared/time.ts'
import { type GuessLimit, guessLimit } from './guess-limit.ts'

describe.each(dialects)('the limit of wrong guesses on %s', (dialect) => {
  let opened: Awaited<ReturnType<typeof freshDatabase>>
  let here: GuessLimit
  let at = minutes(60)
  beforeAll(async () => {
    opened = await freshDatabase(dialect)
    here = guessLimit({ db: opened.db, now: () => at })
  })
  afterAll(() => opened.drop())
  const wrong = async () => false
  const right = async () => true

  test('is shared by all instances, and checks no more than five of many at once', async () => {
    const instances = [here, guessLimit({ db: opened.db, now: () => at })]
    let checked = 0
    const check = async () => {
      checked += 1
      return false
    }
    const guesses = Array.from({ length: 40 }, (_, n) => instances[n % 2]!.guess('ada', '192.0.2.1', check))
    const outcomes = await Promise.allSettled(guesses)
    expect(checked).toBe(5)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(35)
  })

  test('says how long to wait, and lets go after a quarter of an hour', async () => {
    for (let n = 0; n < 5; n++) await here.guess('bob', '192.0.2.1', wrong)
    at += minutes(14)
    await expect(here.guess('bob', '192.0.2.1', right)).rejects.toMatchObject({ status: 429, retryAfter: 60 })
    at += minutes(1)
    expect(await here.guess('bob', '192.0.2.1', right)).toBe(true)
  })

  test('lets go when the clock is set back', async () => {
    for (let n = 0; n < 5; n++) await here.guess('eve', '192.0.2.1', wrong)
    at -= minutes(30)
    expect(await here.guess('eve', '192.0.2.1', right)).toBe(true)
    at += minutes(30)
  })

  test('takes an IPv6 network for one address, and an IPv4 one in either form', async () => {
    for (let n = 1; n <= 5; n++) await here.guess('cleo', `2001:db8:1:2::${n}`, wrong)
    await expect(here.guess('cleo', '2001:db8:1:2:ffff::1', right)).rejects.toMatchObject({ status: 429 })
    expect(await here.guess('cleo', '2001:db8:1:3::1', right)).toBe(true)
    for (let n = 1; n <= 5; n++) await here.guess('dan', '192.0.2.1', wrong)
    await expect(here.guess('dan', '::ffff:192.0.2.1', right)).rejects.toMatchObject({ status: 429 })
  })

  test('does not count a guess that could not be checked', async () => {
    const broken = async () => {
      throw new Error('no database')
    }
    for (let n = 0; n < 6; n++) await expect(here.guess('eve', '192.0.2.1', broken)).rejects.toThrow('no database')
    expect(await here.guess('eve', '192.0.2.1', right)).toBe(true)
  })

  test('refuses a flood instead of keeping it waiting, and serves again when it is over', async () => {
    let release = () => {}
    const held = new Promise<boolean>((resolve) => {
      release = () => resolve(true)
    })
    const flood = (from: (n: number) => string) =>
      Array.from({ length: 60 }, (_, n) => here.guess(`flood ${n}`, from(n), () => held))
    const ofOne = Promise.allSettled(flood(() => '192.0.2.1'))
    expect(await here.guess('flo', '192.0.2.2', right)).toBe(true)
    const outcomes = Promise.allSettled([...flood((n) => `198.51.100.${n}`), ofOne])
    await expect(here.guess('flo', '192.0.2.2', right)).rejects.toMatchObject({ status: 429, retryAfter: 5 })
    release()
    expect((await ofOne).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    // The thirty others that are waiting, and the one promise of those above.
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(31)
    expect(await here.guess('flo', '192.0.2.2', right)).toBe(true)
  })
})
