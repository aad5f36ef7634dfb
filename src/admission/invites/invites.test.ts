import { describe, expect, onTestFinished, test } from 'vitest'
import { turnOnApp } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { fakeSmtp } from '../../../test/support/fakes/fake-smtp.ts'
import { browser, createPerson, createSignedInPerson, password } from '../../../test/support/people.ts'
import { createInvite, stateOf } from '../../../test/support/scenes/invited.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../../app.ts'
import { cookiePrefix } from '../../platform/http/access/origin.ts'
import { days, hours, minutes, seconds } from '../../shared/time.ts'
import { inviteRefusals } from './store.ts'

const path = '/api/v1/admin/invites'
const tokenOf = (url: string) => new URL(url).hash.slice(1)

describe.each(dialects)('invitations on %s', async (dialect) => {
  let count = 0
  const smtp = closeAfterwards(await fakeSmtp())
  const box = closeAfterwards(await toolbox(dialect, { SIGN_UP: 'closed', ...smtp.env }))
  const boss = await createSignedInPerson(box, { name: `boss-${dialect}`, roles: { Admin: 2 } })

  const someone = (details: Parameters<typeof createSignedInPerson>[1] = {}) =>
    createSignedInPerson(box, {
      username: `guest-${dialect}-${count++}`.toLowerCase(),
      roles: { Tools: 0 },
      ...details,
    })
  const visitor = (network = count++) => browser(box.app, `198.18.${network >> 8}.${network & 255}`)
  const open = (screen: ReturnType<typeof browser>, token: string, more: object = {}) =>
    screen.post('/api/v1/auth/invite', { token, ...more })
  const joiner = (more: object = {}) => {
    const username = `joins-${dialect}-${count++}`.toLowerCase()
    return { name: 'Joins', email: `${username}@example.com`, username, password, ...more }
  }
  const rolesOf = async (screen: ReturnType<typeof browser>) =>
    (await screen.get('/api/v1/auth/session')).body.user?.roles
  const listed = async (id: string) => (await boss.screen.get(path)).body.find((one: { id: string }) => one.id === id)
  const claim = (id: string, email: string, { proven = false } = {}) => {
    const claimed = { email, email_verified: box.db.boolean(proven) }
    return box.db.q.updateTable('users').set(claimed).where('id', '=', id).execute()
  }
  const prove = () => box.db.q.updateTable('sessions').set({ proved_at: box.now() }).execute()

  test('are created, listed and revoked by an admin, and show their link only on creation', async () => {
    await prove()
    const created = await boss.screen.post(path, { roles: { Tools: 1 }, tags: ['Verified'] })
    expect(created).toMatchObject({ status: 201, body: { mailed: false } })
    const { id, url } = created.body
    expect(url).toMatch(/^http:\/\/localhost:3000\/auth\/invite#[\w-]{43}$/)
    const seven = { expiresAt: box.now() + days(7), createdAt: box.now(), uses: 1, used: 0 }
    const rights = { roles: { Admin: 0, Tools: 1 }, tags: ['Verified'], email: null, mailed: false, mailNote: null }
    expect(await listed(id)).toEqual({ id, ...rights, ...seven, state: 'open', createdBy: boss.name })
    const rows = JSON.stringify(await box.db.q.selectFrom('invite').selectAll().execute())
    expect(rows).not.toContain(tokenOf(url))
    expect((await boss.screen.delete(`${path}?id=${id}`)).body).toEqual({ id })
    expect(await listed(id)).toBeUndefined()
    expect((await boss.screen.delete(`${path}?id=${id}`)).status).toBe(404)
    const refused = await open(visitor(), tokenOf(url))
    expect([refused.status, refused.body.error]).toEqual([403, inviteRefusals.revoked])
    const log = box.db.q.selectFrom('audit').select(['action', 'actor']).where('target_id', '=', id).orderBy('action')
    expect(await log.execute()).toEqual(
      ['invite.create', 'invite.revoke'].map((action) => ({ action, actor: boss.email })),
    )
  })

  test.each([
    [{ SIGN_UP: 'open' }, 201],
    [{ SIGN_UP: 'open', SIGN_UP_TOOLS: '1' }, 403],
    [{ SIGN_UP: 'approval' }, 403],
    [{ SIGN_UP: 'closed' }, 403],
  ])(
    'need a recent proof if they grant more than sign-up: with %j, one without roles returns %i',
    async (env, status) => {
      const other = await toolbox(dialect, env)
      onTestFinished(() => other.close())
      const later = await createSignedInPerson(other, { roles: { Admin: 2 } })
      other.pass(minutes(10))
      for (const roles of [{ Tools: 1 }, { Admin: 1 }])
        expect(await later.screen.post(path, { roles })).toMatchObject({ status: 403, body: { reauthenticate: true } })
      expect((await later.screen.post(path, { roles: {} })).status).toBe(status)
    },
  )

  test('are rejected with an error on the invalid field', async () => {
    await prove()
    for (const [body, field] of [
      [{}, 'roles'],
      [{ roles: { Tools: 3 } }, 'roles'],
      [{ roles: {}, tags: ['Nobody'] }, 'tags'],
      [{ roles: {}, email: 'ada' }, 'email'],
      [{ roles: {}, uses: 0 }, 'uses'],
      [{ roles: {}, uses: 101 }, 'uses'],
      [{ roles: {}, expiresAt: box.now() }, 'expiresAt'],
      [{ roles: {}, expiresAt: box.now() + days(367) }, 'expiresAt'],
      [{ roles: {}, note: 'x' }, 'note'],
    ] as const) {
      const { status, body: answer } = await boss.screen.post(path, body)
      expect([status, Object.keys(answer.fields)], JSON.stringify(body)).toEqual([400, [field]])
    }
  })

  test('show the inviter and the rights before sign-in, or why they no longer work', async () => {
    await prove()
    const created = await boss.screen.post(path, { roles: { Tools: 1 }, tags: ['Verified'] })
    const look = (token: string) => visitor().post('/api/v1/auth/invitation', { token })
    const read = await look(tokenOf(created.body.url))
    const rights = { roles: { Admin: 0, Tools: 1 }, tags: ['Verified'], expiresAt: box.now() + days(7) }
    expect([read.status, read.body]).toEqual([200, { by: boss.name, ...rights }])
    const { token } = await createInvite(box, { roles: { Admin: 0, Tools: 0 } })
    expect((await look(token)).body.by).toBeNull()
    await boss.screen.delete(`${path}?id=${created.body.id}`)
    const refused = await look(tokenOf(created.body.url))
    expect([refused.status, refused.body.error]).toEqual([403, inviteRefusals.revoked])
    expect((await look('unknown')).body.error).toBe(inviteRefusals.unknown)
  })

  test('notify admins who joined, and how', async () => {
    await prove()
    const created = await boss.screen.post(path, { roles: { Tools: 1 } })
    const body = joiner()
    box.pass(minutes(1))
    await open(visitor(), tokenOf(created.body.url), body)
    const [item] = (await boss.screen.get('/api/v1/user/inbox')).body.items
    const text = `“${body.email}” joined with a password, invited by “${boss.name}”. They now have Full Access to Tools.`
    expect(item).toMatchObject({ type: 'access', message: text })
  })

  test('create an active user with a password even if sign-up is closed', async () => {
    const { id, token } = await createInvite(box, { roles: { Admin: 1, Tools: 2 }, tags: ['Moderator'] })
    const body = joiner()
    const screen = visitor()
    const joined = await open(screen, token, body)
    expect([joined.status, joined.body]).toEqual([
      201,
      { id: expect.any(String), email: body.email, username: body.username },
    ])
    const { user } = (await screen.signIn(body.username)).body
    expect(user).toMatchObject({ name: 'Joins', emailVerified: false, status: 2, roles: { Admin: 1, Tools: 2 } })
    expect(user.tags).toEqual(['Moderator'])
    const second = await open(screen, token, joiner())
    expect([second.status, second.body.error]).toEqual([403, inviteRefusals['used up']])
    const log = box.db.q.selectFrom('audit').select(['action', 'changes']).where('target_id', '=', joined.body.id)
    const used = (await log.execute()).find(({ action }) => action === 'invite.use')
    expect(JSON.parse(used!.changes)).toContainEqual({ field: 'invitation', from: null, to: id })
  })

  test('are not used up by a rejected form', async () => {
    const { id, token } = await createInvite(box)
    const existing = await someone()
    for (const [more, status, field] of [
      [{ password: 'password1234' }, 400, 'password'],
      [{ email: undefined }, 400, 'email'],
      [{ email: existing.email }, 409, 'email'],
      [{ username: existing.username }, 409, 'username'],
    ] as const) {
      const answer = await open(visitor(), token, joiner(more))
      expect([answer.status, Object.keys(answer.body.fields)]).toEqual([status, [field]])
    }
    expect((await listed(id)).used).toBe(0)
  })

  test('return only the reason why they no longer work to visitors and users', async () => {
    const deleted = await createPerson(box.context, { roles: { Admin: 2 } })
    const demoted = await createPerson(box.context, { roles: { Admin: 1 } })
    await box.db.q.deleteFrom('users').where('id', '=', deleted.id).execute()
    const user = await someone()
    for (const [more, why] of [
      [{ expiresAt: box.now() }, 'over'],
      [{ createdBy: deleted.id }, 'stopped'],
      [{ createdBy: demoted.id }, 'stopped'],
    ] as const) {
      const { token } = await createInvite(box, more)
      for (const screen of [visitor(), user.screen]) {
        const { status, body } = await open(screen, token)
        expect([status, body]).toEqual([403, { error: inviteRefusals[why] }])
      }
      expect((await open(visitor(), token, joiner())).status).toBe(403)
    }
    const { body } = await open(visitor(), 'x'.repeat(43))
    expect(body).toEqual({ error: inviteRefusals.unknown })
  })

  test('raise the roles of a signed-in user, and never lower any', async () => {
    const user = await someone({ roles: { Admin: 2, Tools: 0 }, tags: ['Admin'] })
    const { id, token } = await createInvite(box, { roles: { Admin: 1, Tools: 1 }, tags: ['Verified'] })
    expect((await open(user.screen, token)).status).toBe(204)
    const { body } = await user.screen.get('/api/v1/auth/session')
    expect(body.user).toMatchObject({ roles: { Admin: 2, Tools: 1 }, tags: ['Admin', 'Verified'] })
    expect((await open(user.screen, token)).status).toBe(204)
    expect(await listed(id)).toMatchObject({ used: 1, state: 'used up' })
  })

  test('are not used up by a user who already has all they grant', async () => {
    const user = await someone({ roles: { Tools: 2 } })
    const { id, token } = await createInvite(box)
    expect((await open(user.screen, token)).status).toBe(204)
    expect((await listed(id)).used).toBe(0)
  })

  test('apply once, to the next sign-in in the same browser within an hour', async () => {
    const user = await someone()
    const { id, token } = await createInvite(box, { uses: 5, expiresAt: box.now() + days(1) })
    const late = visitor()
    await open(late, token)
    box.pass(hours(1))
    await late.signIn(user.username!)
    expect(await rolesOf(late)).toEqual({ Admin: 0, Tools: 0 })
    const screen = visitor()
    await open(screen, token)
    expect((await screen.signIn(user.username!)).body.user.roles.Tools).toBe(1)
    expect([...screen.jar.keys()].filter((name) => name.includes('invite'))).toEqual([])
    const forged = visitor()
    forged.jar.set(`${cookiePrefix(box.context.config.baseUrl)}.invite`, `${id}.${box.now() + hours(1)}.x`)
    const other = await someone()
    await forged.signIn(other.username!)
    expect(await rolesOf(forged)).toEqual({ Admin: 0, Tools: 0 })
  })

  test('apply only after the second step of a sign-in', async () => {
    const user = await someone()
    const { code } = await turnOnApp(box, user.screen)
    const { id, token } = await createInvite(box)
    const screen = visitor()
    await open(screen, token)
    expect((await screen.signIn(user.username!)).body.twoFactorRedirect).toBe(true)
    expect(await stateOf(box, user.email, id)).toMatchObject({ used: 0, tools: 0 })
    box.pass(seconds(30))
    await screen.post('/api/auth/two-factor/verify-totp', { code: code() })
    expect(await stateOf(box, user.email, id)).toMatchObject({ used: 1, tools: 1 })
  })

  test('verify the email that they were mailed to, and take it from a user who never verified it', async () => {
    await prove()
    const body = joiner()
    const squatter = await someone()
    await claim(squatter.id, body.email)
    const created = await boss.screen.post(path, { roles: { Tools: 1 }, email: body.email.toUpperCase() })
    expect(created.body).toMatchObject({ mailed: true })
    await box.work.runDue()
    const mail = smtp.mails.at(-1)!
    expect(mail.to).toEqual([body.email])
    expect(mail.source.replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(created.body.url)
    const token = tokenOf(created.body.url)
    const other = await open(visitor(), token, joiner())
    expect([other.status, other.body.error]).toEqual([403, inviteRefusals.other])
    const screen = visitor()
    expect((await open(screen, token, body)).status).toBe(201)
    expect((await screen.signIn(body.username)).body.user).toMatchObject({ email: body.email, emailVerified: true })
    const lost = await box.db.q.selectFrom('users').select('email').where('id', '=', squatter.id).executeTakeFirst()
    expect(lost?.email).toBe(`${squatter.id}@unverified.invalid`)
  })

  test('leave the email unverified if mailing fails, and take it from a user who never verified it', async () => {
    await prove()
    smtp.setRecipientReply('550 No such user')
    const body = joiner()
    const created = await boss.screen.post(path, { roles: {}, email: body.email })
    await box.work.runDue()
    smtp.setRecipientReply('250 OK')
    const refused = { mailed: false, mailNote: expect.stringContaining('No such user') }
    expect(await listed(created.body.id)).toMatchObject(refused)
    const token = tokenOf(created.body.url)
    expect((await open(visitor(), token, joiner())).body.error).toBe(inviteRefusals.other)
    const holder = await someone()
    await claim(holder.id, body.email, { proven: true })
    expect((await open(visitor(), token, body)).body.fields).toHaveProperty('email')
    await claim(holder.id, body.email)
    const screen = visitor()
    expect((await open(screen, token, { ...body, email: body.email.toUpperCase() })).status).toBe(201)
    expect((await screen.signIn(body.username)).body.user).toMatchObject({ email: body.email, emailVerified: false })
    expect(await listed(created.body.id)).toMatchObject({ email: body.email, mailed: false, used: 1 })
    const { body: lost } = await holder.screen.get('/api/v1/auth/session')
    expect(lost.user).toMatchObject({ email: `${holder.id}@unverified.invalid`, status: 2 })
  })

  test('are mailed later if the mail server is busy, and count as mailed only then', async () => {
    await prove()
    smtp.setRecipientReply('451 4.7.1 Greylisted')
    const { email } = joiner()
    const created = await boss.screen.post(path, { roles: {}, email })
    const other = await boss.screen.post(path, { roles: {}, email: `not-${email}` })
    await box.work.runDue()
    const busy = { mailed: false, mailNote: expect.stringContaining('451 4.7.1 Greylisted') }
    expect(await listed(created.body.id)).toMatchObject(busy)
    await boss.screen.delete(`${path}?id=${other.body.id}`)
    smtp.setRecipientReply('250 OK')
    smtp.mails.length = 0
    box.pass(seconds(5))
    await box.work.runDue()
    expect(smtp.mails.map(({ to }) => to)).toEqual([[email]])
    expect(smtp.mails[0]!.source.replaceAll('=\n', '')).toContain(tokenOf(created.body.url))
    expect(await listed(created.body.id)).toMatchObject({ mailed: true, mailNote: null })
    // As in a restored backup, which has no mails.
    await box.db.q.deleteFrom('mail').execute()
    expect(await listed(created.body.id)).toMatchObject({ mailed: true, mailNote: null })
  })

  test('for anyone give no new user an email that another user has', async () => {
    const body = joiner()
    const holder = await someone()
    await claim(holder.id, body.email)
    const { token } = await createInvite(box)
    expect((await open(visitor(), token, body)).body.fields).toHaveProperty('email')
  })

  test('let a network guess at most 20 tokens, while other networks are not limited', async () => {
    const { token } = await createInvite(box, { uses: 100 })
    const [guesser, other] = [browser(box.app, '203.0.113.1'), browser(box.app, '198.51.100.1')]
    for (let n = 0; n < 20; n++) expect((await open(guesser, `guess${n}`)).status).toBe(403)
    expect((await open(guesser, token)).status).toBe(429)
    expect((await open(other, token)).status).toBe(204)
    box.pass(minutes(15))
    expect((await open(guesser, token)).status).toBe(204)
  })

  test('let a network find at most 20 taken emails or usernames, while other networks are not limited', async () => {
    const { token } = await createInvite(box, { uses: 100 })
    const [prober, other] = [browser(box.app, '192.0.2.1'), browser(box.app, '192.0.2.129')]
    const { email, username } = await someone()
    for (let n = 0; n < 2; n++) expect((await open(prober, token, joiner())).status).toBe(201)
    const taken = (n: number) => joiner(n % 2 === 0 ? { email } : { username })
    const answers = await Promise.all(Array.from({ length: 23 }, (_, n) => open(prober, token, taken(n))))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(409), ...Array(3).fill(429)])
    const refused = await open(prober, token, joiner())
    const why = 'Too many failed attempts from your network. Try again in 15 minutes.'
    expect([refused.status, refused.body.error]).toEqual([429, why])
    expect((await open(other, token, joiner())).status).toBe(201)
    box.pass(minutes(15))
    expect((await open(prober, token, joiner())).status).toBe(201)
  })

  test('are deleted a month after they expire', async () => {
    const { id, token } = await createInvite(box)
    box.pass(days(30))
    await cleanUpAccounts(box.context)
    expect((await open(visitor(), token)).body.error).toBe(inviteRefusals.over)
    box.pass(days(2))
    await cleanUpAccounts(box.context)
    expect(await box.db.q.selectFrom('invite').select('id').where('id', '=', id).execute()).toEqual([])
    expect((await open(visitor(), token)).body.error).toBe(inviteRefusals.unknown)
  })
})
