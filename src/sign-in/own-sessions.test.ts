import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson } from '../../test/support/people.ts'
import { boxWithProviders, comeBack, goThere } from '../../test/support/scenes/round-trip.ts'

describe.each(dialects)('the list of own sessions on %s', async (dialect) => {
  const it = await boxWithProviders(dialect)
  afterAll(() => it.close())

  /** The user agents of these tests. */
  const userAgent = 'lightMyRequest'

  test('tells the address and browser of every sign-in, by password or by a provider', async () => {
    await createPerson(it.box.context, { username: `listed-${dialect}` })
    const typed = browser(it.box.app, '203.0.113.4')
    await typed.signIn(`listed-${dialect}`)
    expect((await typed.get('/api/v1/user/sessions')).body).toMatchObject([{ address: '203.0.113.4', userAgent }])
    for (const fake of it.fakes) {
      fake.person(it.somebody())
      const screen = browser(it.box.app, '203.0.113.5')
      await comeBack(screen, await goThere(screen, { provider: fake.id }))
      const [session] = (await screen.get('/api/v1/user/sessions')).body
      expect(session).toMatchObject({ address: '203.0.113.5', userAgent, current: true })
    }
  })
})
