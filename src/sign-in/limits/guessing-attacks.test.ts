import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createPerson, password } from '../../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../../app.ts'
import { days, minutes } from '../../shared/time.ts'

describe.each(dialects)('guessing passwords on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  for (const username of ['ada', 'bob', 'cleo', 'dan', 'eve'])
    await createPerson(box.context, { name: username, username })

  const status = async (address: string, name: string, secret?: string) =>
    (await browser(box.app, address).signIn(name, secret)).status
  const wrong = (address: string, name: string) => status(address, name, 'not the password')
  const many = (length: number, one: (n: number) => Promise<number>) =>
    Promise.all(Array.from({ length }, (_, n) => one(n)))

  test('from four networks at once does not lock a user out of an address they have signed in from', async () => {
    expect(await status('192.0.2.1', 'ada')).toBe(200)
    const guesses = many(240, (n) => wrong(`198.51.${n % 4}.${n}`, n % 2 ? 'ada' : `name ${n}`))
    const honest = await many(8, () => status('192.0.2.1', 'ada'))
    expect(honest).toEqual(Array(8).fill(200))
    expect((await guesses).filter((one) => one === 401).length).toBeLessThan(60)
    expect(await status('192.0.2.1', 'ada')).toBe(200)
  })

  test('across many usernames from one address is blocked, even with a successful sign-in in between', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 22; n++) {
      statuses.push(await wrong('203.0.113.1', `spray ${n}`))
      if (n === 10) expect(await status('203.0.113.1', 'bob')).toBe(200)
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    const refused = await browser(box.app, '203.0.113.1').signIn('eve')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '900'])
    expect(refused.body.error).toContain('from your network')
    expect(await status('203.0.113.2', 'eve')).toBe(200)
  })

  test('for one account from many networks delays strangers for minutes, whether or not it exists', async () => {
    expect(await status('192.0.2.30', 'cleo')).toBe(200)
    for (const name of ['cleo', 'nobody-here']) {
      const statuses: number[] = []
      for (let n = 0; n < 12; n++) statuses.push(await wrong(`100.64.${n}.1`, name))
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    }
    expect(await status('192.0.2.31', 'cleo')).toBe(429)
    expect(await status('192.0.2.30', 'cleo')).toBe(200)
    box.pass(minutes(5))
    expect(await status('192.0.2.31', 'cleo')).toBe(200)
  })

  test('a network stays known for 180 days after its last use, and only for the user who signed in', async () => {
    const networks = async () =>
      (await box.db.q.selectFrom('known_network').select('network').where('network', 'like', '10.%').execute()).length
    for (let n = 0; n < 22; n++) {
      expect(await status(`10.${n}.0.1`, 'dan', password)).toBe(200)
      box.pass(1)
    }
    expect(await networks()).toBe(20)
    for (let n = 0; n < 10; n++) await wrong(`100.65.${n}.1`, 'eve')
    expect(await status('10.21.0.1', 'eve')).toBe(429)
    box.pass(days(180))
    await cleanUpAccounts(box.context)
    expect(await networks()).toBe(0)
  })
})
