import { afterEach, describe, expect, test } from 'vitest'
import { dialects, freshDatabase } from '../../test/support/database/databases.ts'
import { fakeSmtp } from '../../test/support/fakes/fake-smtp.ts'
import { browser, createPerson, password } from '../../test/support/people.ts'
import { createInvite } from '../../test/support/scenes/invited.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import { seconds } from '../shared/time.ts'

const [old, next] = ['the secret of before, of 32 characters', 'the secret from now on, of 32 characters']

describe.each(dialects)('after APP_SECRET changes, with the previous one still set, on %s', (dialect) => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  /** The same server before and after its APP_SECRET was changed. */
  async function changed(env: Record<string, string> = {}) {
    const database = await freshDatabase(dialect)
    const shared = { ...database, drop: async () => {} }
    const before = await toolbox(dialect, { APP_SECRET: old, ...env }, undefined, { database: shared })
    const secrets = { APP_SECRET: next, APP_SECRET_PREVIOUS: old }
    const after = await toolbox(dialect, { ...secrets, ...env }, undefined, { database: shared })
    closing.push(before.close, after.close, database.drop)
    return { before, after }
  }

  test('a reset link that was waiting for the mail server is mailed and works', async () => {
    const smtp = await fakeSmtp()
    closing.push(smtp.close)
    const { before, after } = await changed(smtp.env)
    const { email } = await createPerson(before.context, { username: 'ada' })
    smtp.setRecipientReply('451 Try again later')
    expect((await browser(before.app).post('/api/v1/auth/forgotten', { email })).status).toBe(202)
    await before.work.runDue()
    smtp.setRecipientReply('250 OK')
    after.pass(seconds(10))
    await after.work.runDue()
    const [, token] = /\/reset#([\w-]{43})/.exec(smtp.mails[0]?.source.replaceAll('=\n', '') ?? '') ?? []
    const reset = { token, password: 'ten very loud parrots' }
    expect((await browser(after.app).post('/api/v1/auth/reset', reset)).body).toEqual({ username: 'ada' })
  })

  test('an invitation that was opened before the change is accepted', async () => {
    const { before, after } = await changed()
    await createPerson(before.context, { username: 'ada', roles: { Tools: 0 } })
    const { token } = await createInvite(before)
    const opener = browser(before.app)
    expect((await opener.post('/api/v1/auth/invite', { token })).status).toBe(204)
    const screen = browser(after.app, '192.0.2.1', Object.fromEntries(opener.jar))
    expect((await screen.signIn('ada', password)).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body.user.roles.Tools).toBe(1)
  })
})
