import { describe, expect, test } from 'vitest'
import { type Dialect, dialects, racingDialects, waitForLock } from '../../test/support/database/databases.ts'
import { createSignedInPerson } from '../../test/support/people.ts'
import { mailScene } from '../../test/support/scenes/mail-scene.ts'
import { table } from '../../test/support/sign-in-cases.ts'
import { askForAccess } from '../admission/access/ask.ts'
import { sessionUser } from '../people/store.ts'
import { hours, minutes } from '../shared/time.ts'
import { changeOwnDetails, ownEmail, sendConfirmationLink, unlink } from './own-routes.ts'

const path = '/api/v1/user'
const subjects = { confirm: 'Confirm your email for ToolBox', changed: 'The email of your ToolBox account was changed' }
let people = 0

async function detailsScene(dialect: Dialect) {
  const scene = await mailScene(dialect)
  const { smtp, wait } = scene
  const person = async (more: object = {}) => {
    people += 1
    return createSignedInPerson(scene.box, { name: `o${dialect}${people}`, username: `o${dialect}${people}`, ...more })
  }
  type Person = Awaited<ReturnType<typeof person>>
  const me = async ({ screen }: Person) => (await screen.get('/api/v1/auth/session')).body.user
  const confirm = ({ screen }: Person, link: string) => screen.post(`${path}/email/confirm`, { token: link })
  /** Changes the email and returns the token mailed to the new one. */
  const changed = async ({ screen, email }: Person, next = `new-${email}`) => {
    expect((await screen.patch(path, { email: next })).status).toBe(200)
    await wait()
    const mail = smtp.mails.find(({ to }) => to.includes(next))
    return /verify-email#([\w-]{43})/.exec(mail?.source.replaceAll('=\n', '') ?? '')?.[1] ?? ''
  }
  return { ...scene, person, me, confirm, changed }
}

describe.each(dialects)('changing one’s own name and email on %s', async (dialect) => {
  const { box, smtp, wait, sent, text, token, person, me, confirm, changed } = await detailsScene(dialect)

  test('a name change needs no recent proof, is validated and is logged', async () => {
    const ada = await person()
    box.pass(minutes(11))
    expect((await ada.screen.patch(path, { name: ' Ada Lovelace ' })).body).toMatchObject({
      id: ada.id,
      name: 'Ada Lovelace',
      email: ada.email,
      emailVerified: true,
    })
    expect((await ada.screen.patch(path, { name: 'Ada Lovelace' })).status).toBe(200)
    const log = box.db.q.selectFrom('audit').select(['action', 'changes']).where('target_id', '=', ada.id)
    expect(await log.execute()).toEqual([
      { action: 'user.edit', changes: JSON.stringify([{ field: 'name', from: ada.name, to: 'Ada Lovelace' }]) },
    ])
    expect(sent()).toEqual([])
    for (const body of [{ name: '' }, { email: 'ada' }, { name: 'x'.repeat(101) }])
      expect((await ada.screen.patch(path, body)).body.fields).toHaveProperty(Object.keys(body)[0] ?? '')
    expect((await ada.screen.patch(path, { roles: { Admin: 2 } })).status).toBe(400)
  })

  test('a new email needs a recent proof, applies immediately, and is unverified until confirmed', async () => {
    const ada = await person()
    const next = `new-${ada.email}`
    box.pass(minutes(11))
    const refused = await ada.screen.patch(path, { name: 'Ada', email: next })
    expect([refused.status, refused.body.reauthenticate]).toEqual([403, true])
    expect(await me(ada)).toMatchObject({ name: ada.name, email: ada.email })
    expect((await ada.screen.post('/api/v1/auth/proof', { password: 'seven green teapots' })).status).toBe(204)
    expect((await ada.screen.patch(path, { email: next })).body).toMatchObject({ email: next, emailVerified: false })
    await wait()
    expect(sent().toSorted()).toEqual([`${ada.email}: ${subjects.changed}`, `${next}: ${subjects.confirm}`].toSorted())
    expect((await ada.screen.get(`${path}/email`)).body).toMatchObject({
      email: next,
      verified: false,
      link: { sentAt: box.now(), expiresAt: box.now() + minutes(30), note: null },
    })
    const mail = smtp.mails.find(({ to }) => to.includes(ada.email))
    expect(mail?.source).toContain('lightMyRequest')
    expect(mail?.source).not.toContain(next)
  })

  test('rejects an email in use with an error on its field, and limits attempts to ten an hour', async () => {
    const [ada, eve] = [await person(), await person()]
    const refused = await ada.screen.patch(path, { email: eve.email })
    expect([refused.status, refused.body.fields]).toEqual([409, { email: 'This email is already in use.' }])
    for (let n = 0; n < 9; n += 1) await ada.screen.patch(path, { email: eve.email })
    expect((await ada.screen.patch(path, { email: eve.email })).status).toBe(429)
    expect((await ada.screen.patch(path, { name: 'Still works' })).status).toBe(200)
    box.pass(hours(1))
  })

  test('only one of two concurrent requests for the same email succeeds', async () => {
    const both = [await person(), await person()]
    const email = `both-${both[0]?.email}`
    const answers = await Promise.all(both.map(({ screen }) => screen.patch(path, { email })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test.each(table('Confirming an email'))('link %s, opened by %s: %s', async (link, by, outcome) => {
    const ada = await person()
    const mailedToken = await changed(ada)
    expect(mailedToken).toMatch(/^[\w-]{43}$/)
    if (link === 'used') await confirm(ada, mailedToken)
    if (link === 'expired') box.pass(minutes(30))
    if (link === 'for an email since changed') await changed(ada, `newer-${ada.email}`)
    const opener = by === 'its user' ? ada : await person()
    if (by === 'nobody signed in') opener.screen.jar.clear()
    const { status, body } = await confirm(opener, mailedToken)
    const verified = { status: 200, body: { email: `new-${ada.email}` } }
    const expected = outcome === 'verified' ? verified : { status: by === 'nobody signed in' ? 401 : 403 }
    expect({ status, body }).toMatchObject(expected)
    if (outcome?.startsWith('refused: ')) expect(body.error).toContain(outcome.slice('refused: '.length))
    if (link !== 'used') expect((await me(ada)).emailVerified).toBe(outcome === 'verified')
  })

  test('a link can be sent again after an hour, and only to an unconfirmed email', async () => {
    const ada = await person()
    expect((await ada.screen.post(`${path}/email/link`)).body.error).toBe('Your email is already confirmed.')
    await changed(ada)
    smtp.mails.length = 0
    const early = await ada.screen.post(`${path}/email/link`)
    expect([early.status, early.headers['retry-after']]).toEqual([429, '3600'])
    box.pass(hours(1))
    const resent = await ada.screen.post(`${path}/email/link`)
    expect([resent.status, resent.body.link.sentAt]).toEqual([202, null])
    await wait()
    expect(sent()).toEqual([`new-${ada.email}: ${subjects.confirm}`])
    expect(text()).not.toContain(ada.name)
    expect((await confirm(ada, token())).status).toBe(200)
  })

  test('an old email that was never confirmed gets no mail', async () => {
    const ada = await person()
    await changed(ada, `new-${ada.email}`)
    const before = sent().length
    await changed(ada, `newer-${ada.email}`)
    expect(sent().slice(before)).toEqual([`newer-${ada.email}: ${subjects.confirm}`])
    const boss = await person({ roles: { Admin: 2 } })
    const edit = { id: ada.id, email: `newest-${ada.email}` }
    expect((await boss.screen.patch('/api/v1/admin/user', edit)).status).toBe(200)
    await wait()
    expect(sent().slice(before + 1)).toEqual([])
  })

  test('a user who is deleted during a request gets a 401', async () => {
    const { context, db } = box
    const user = await sessionUser(db.q, (await person({ roles: { Tools: 0 } })).id)
    await db.q.deleteFrom('users').where('id', '=', user.id).execute()
    const actor = { id: user.id, name: user.email, address: null, device: null }
    const by = { actor, user }
    for (const call of [
      () => changeOwnDetails(context, by, { name: 'Another' }, () => undefined),
      () => sendConfirmationLink(context, user.id),
      () => ownEmail(db.q, user.id),
      () => askForAccess(context, by, null),
      () => unlink(context, [], by, { providerId: '002_Github', accountId: '1' }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 401, message: 'Sign in first.' })
  })

  test.each(['', ' ', '\u200b\u2060', '\u3164'])('rejects the invisible name %o', async (name) => {
    const { status, body } = await (await person()).screen.patch(path, { name })
    expect([status, body.fields]).toEqual([400, { name: 'Enter a name.' }])
  })

  test('the old email is notified of a change by an admin, without the admin’s network address', async () => {
    const boss = await person({ roles: { Admin: 2 } })
    const ada = await person()
    const body = { id: ada.id, email: `given-${ada.email}` }
    expect((await boss.screen.patch('/api/v1/admin/user', body)).status).toBe(200)
    await wait()
    expect(sent()).toEqual([`${ada.email}: ${subjects.changed}`])
    expect(text()).toContain('by an admin')
    expect(text()).not.toContain('192.0.2.1')
  })
})

describe.each(racingDialects)('concurrent changes of one’s own email on %s', async (dialect) => {
  const { box, person, confirm, changed } = await detailsScene(dialect)

  test('a link opened twice at the same time confirms the email once', async () => {
    const ada = await person()
    const link = await changed(ada)
    const answers = await Promise.all([confirm(ada, link), confirm(ada, link)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const log = box.db.q.selectFrom('audit').select('changes').where('target_id', '=', ada.id)
    const changes = (await log.execute()).filter((row) => row.changes.includes('"from":false'))
    expect(changes).toHaveLength(1)
  })

  test.each([
    ['/api/v1/user/channels', { type: 'telegram', settings: { token: '123456:ABC-DEF', chat: '42' } }],
    ['/api/auth/two-factor/enable', {}],
  ])('a user who is being deleted gets a 401 from %s', async (url, body) => {
    const { id, screen } = await person({ username: undefined })
    let calling: ReturnType<typeof screen.post> | undefined
    await box.db.q.transaction().execute(async (q) => {
      await q.deleteFrom('users').where('id', '=', id).execute()
      calling = screen.post(url, body)
      if (dialect === 'postgres') await waitForLock(box.db.q, calling)
    })
    expect(await calling).toMatchObject({ status: 401, body: { error: 'Sign in first.' } })
  })
})

describe('without a mail server', async () => {
  const { box, sent } = await mailScene('sqlite', { SMTP_URL: '' })
  test('an email can be changed, and no link is sent', async () => {
    const ada = await createSignedInPerson(box)
    expect((await ada.screen.patch(path, { email: 'other@example.com' })).body.emailVerified).toBe(false)
    expect(await box.db.q.selectFrom('mail').select('id').execute()).toEqual([])
    expect((await ada.screen.post(`${path}/email/link`)).status).toBe(409)
    expect(sent()).toEqual([])
  })
})
