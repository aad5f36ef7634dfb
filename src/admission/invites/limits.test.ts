import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createPerson, password } from '../../../test/support/people.ts'
import { createInvite } from '../../../test/support/scenes/invited.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { minutes } from '../../shared/time.ts'

describe.each(dialects)('limits on attempts to use invitations on %s', async (dialect) => {
  let count = 0
  const box = closeAfterwards(await toolbox(dialect, { SIGN_UP: 'closed' }))

  const open = (screen: ReturnType<typeof browser>, token: string, more: object = {}) =>
    screen.post('/api/v1/auth/invite', { token, ...more })
  const joiner = (more: object = {}) => {
    const username = `joins-${count++}`
    return { name: 'Joins', email: `${username}@example.com`, username, password, ...more }
  }

  test('a network can guess at most 20 tokens, while other networks are not limited', async () => {
    const { token } = await createInvite(box, { uses: 100 })
    const [guesser, other] = [browser(box.app, '203.0.113.1'), browser(box.app, '198.51.100.1')]
    for (let n = 0; n < 20; n++) expect((await open(guesser, `guess${n}`)).status).toBe(403)
    expect((await open(guesser, token)).status).toBe(429)
    expect((await open(other, token)).status).toBe(204)
    box.pass(minutes(15))
    expect((await open(guesser, token)).status).toBe(204)
  })

  test('a network can find at most 20 taken emails or usernames, while other networks are not limited', async () => {
    const { token } = await createInvite(box, { uses: 100 })
    const [prober, other] = [browser(box.app, '192.0.2.1'), browser(box.app, '192.0.2.129')]
    const holder = await createPerson(box.context, { username: 'holder' })
    const takenDetails = (n: number) => joiner(n % 2 === 0 ? { email: holder.email } : { username: holder.username })
    for (let n = 0; n < 2; n++) expect((await open(prober, token, joiner())).status).toBe(201)
    const answers = await Promise.all(Array.from({ length: 23 }, (_, n) => open(prober, token, takenDetails(n))))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(409), ...Array(3).fill(429)])
    const refused = await open(prober, token, joiner())
    const why = 'Too many failed attempts from your network. Try again in 15 minutes.'
    expect([refused.status, refused.body.error]).toEqual([429, why])
    expect((await open(other, token, joiner())).status).toBe(201)
    box.pass(minutes(15))
    expect((await open(prober, token, joiner())).status).toBe(201)
  })
})
