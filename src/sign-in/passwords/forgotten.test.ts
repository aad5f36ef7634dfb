import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { turnOnApp } from '../../../test/support/authenticator.ts'
import { type Dialect, dialects, racingDialects, waitForLock } from '../../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password, startSession } from '../../../test/support/people.ts'
import { mailScene } from '../../../test/support/scenes/mail-scene.ts'
import { table } from '../../../test/support/sign-in-cases.ts'
import { toolbox } from '../../../test/support/toolbox.ts'
import { endLinks, queueLinkMail } from '../../notices/mail.ts'
import { lockUser } from '../../people/store.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'
import { accountStatuses } from '../../shared/user.ts'

const next = 'nineteen loud parrots'
const subject = 'Reset your ToolBox password'
const rows = table('A forgotten password').map((cells) => cells.map((cell) => cell.split(', ')))
const numberOf = (status: string) => Number(Object.entries(accountStatuses).find(([, name]) => name === status)?.[0])

test('without a mail server, a reset request is rejected with advice to ask an admin', async () => {
  const box = await toolbox('sqlite')
  const answer = await browser(box.app).post('/api/v1/auth/forgotten', { email: 'ada@example.com' })
  expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('Ask an admin')])
  expect((await browser(box.app).get('/api/v1/config')).body.sendsMail).toBe(false)
  await box.close()
})

let people = 0
let networks = 0
/** An address in a network without earlier requests. */
const somewhere = () => {
  networks += 1
  return `198.51.${networks}.7`
}

async function forgottenScene(dialect: Dialect) {
  const scene = await mailScene(dialect)
  const { box, wait, token } = scene
  const person = (more: object = {}) => {
    people += 1
    return createPerson(box.context, { name: `${dialect}${people}`, username: `${dialect}${people}`, ...more })
  }
  const ask = (email: string, address = somewhere()) =>
    browser(box.app, address).post('/api/v1/auth/forgotten', { email })
  const reset = (link: string, chosen = next) =>
    browser(box.app).post('/api/v1/auth/reset', { token: link, password: chosen })
  const linkFor = async (email: string) => {
    expect((await ask(email)).status).toBe(202)
    await wait()
    return token()
  }
  return { ...scene, person, ask, reset, linkFor }
}

describe.each(dialects)('a forgotten password on %s', async (dialect) => {
  const { box, smtp, wait, sent, text, token, person, ask, reset, linkFor } = await forgottenScene(dialect)

  test('is reset with a link that works once and arrives within seconds in a mail with the username', async () => {
    const { email, username = '' } = await person()
    const answer = await ask(` ${email.toUpperCase()} `)
    expect([answer.status, answer.body]).toEqual([202, { email }])
    await wait()
    expect(sent()).toEqual([`${email}: ${subject}`])
    expect(text()).toContain(`http://localhost:3000/auth/reset#${token()}`)
    expect(text()).toContain('within 30 minutes')
    expect(text()).toContain(`Your username is ${username}.`)
    expect((await reset(token())).body).toEqual({ username })
    expect((await browser(box.app).signIn(username)).status).toBe(401)
    expect((await browser(box.app).signIn(username, next)).status).toBe(200)
    expect((await reset(token(), 'twenty loud parrots')).status).toBe(403)
  })

  test('a reset ends all sessions, is logged as the user’s own action, and clears wrong guesses', async () => {
    const ada = await person()
    const screen = browser(box.app)
    await startSession(box.context, box.auth, ada)
    for (let n = 0; n < 5; n += 1) await screen.signIn(ada.username ?? '', 'not the right one')
    expect((await screen.signIn(ada.username ?? '')).status).toBe(429)
    await reset(await linkFor(ada.email))
    const sessions = box.db.q.selectFrom('sessions').select('id').where('user_id', '=', ada.id)
    expect(await sessions.execute()).toEqual([])
    expect((await screen.signIn(ada.username ?? '', next)).status).toBe(200)
    const log = box.db.q.selectFrom('audit').select(['action', 'address']).where('target_id', '=', ada.id)
    expect(await log.where('actor_id', '=', ada.id).execute()).toEqual([
      { action: 'user.password', address: '192.0.2.1' },
    ])
  })

  test.each(
    rows.flatMap(([emails = [], passwords = [], statuses = [], [outcome = ''] = []]) =>
      emails.flatMap((email) => passwords.flatMap((has) => statuses.map((status) => [email, has, status, outcome]))),
    ),
  )('email %s, password %s, status %s: %s', async (email, has, status, outcome) => {
    const kinds = (cell: string | undefined, all: readonly string[]) => (cell === 'any' ? all : [cell ?? ''])
    for (const password of kinds(has, ['yes', 'no']))
      for (const state of kinds(status, Object.values(accountStatuses))) {
        const user = await person(password === 'yes' ? {} : { username: undefined })
        const own = box.db.q.updateTable('users').where('id', '=', user.id)
        if (email === 'unverified') await own.set({ email_verified: box.db.boolean(false) }).execute()
        if (email === "nobody's") await own.set({ email: `other-${user.email}` }).execute()
        if (state !== '–') await own.set({ status: numberOf(state) }).execute()
        const answer = await ask(user.email)
        expect([answer.status, answer.body]).toEqual([202, { email: user.email }])
        await wait()
        const isMailed = outcome === 'link mailed'
        expect([outcome, sent()]).toEqual([
          isMailed ? outcome : 'nothing mailed',
          isMailed ? [`${user.email}: ${subject}`] : [],
        ])
      }
  })

  test('requests run the same database statements for every email', async () => {
    const { email } = await person()
    const unproven = await person({ status: 1 })
    const statements: string[][] = []
    for (const address of [email, unproven.email, `nobody-${email}`]) {
      const kinds: string[] = []
      box.db.onStatement((kind) => kinds.push(kind))
      expect((await ask(address)).status).toBe(202)
      statements.push(kinds)
      const jobs = await box.db.q.selectFrom('job').select('kind').execute()
      expect(jobs).toEqual([{ kind: 'mail-forgotten' }])
      await box.db.q.deleteFrom('job').execute()
    }
    box.db.onStatement(() => {})
    expect(statements[1]).toEqual(statements[0])
    expect(statements[2]).toEqual(statements[0])
  })

  test('gets one link per hour, which works for 30 minutes', async () => {
    const { email } = await person()
    const first = await linkFor(email)
    box.pass(minutes(30) - seconds(1))
    await ask(email)
    await wait()
    expect(sent()).toHaveLength(1)
    box.pass(seconds(1))
    expect((await reset(first)).body).toEqual({
      error: 'This link has expired or was already used. Request a new one.',
    })
    box.pass(minutes(30))
    const second = await linkFor(email)
    expect(sent()).toHaveLength(2)
    expect((await reset(second)).status).toBe(200)
  })

  test('a reset does not bypass the authenticator app', async () => {
    const username = `app${dialect}`
    const { screen, email } = await createSignedInPerson(box, { username, name: username })
    await turnOnApp(box, screen)
    expect((await reset(await linkFor(email))).status).toBe(200)
    const signedIn = await browser(box.app).signIn(username, next)
    expect(signedIn.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] })
  })

  test('only the hash of the token is stored in the database', async () => {
    const { email } = await person()
    const link = await linkFor(email)
    const stored = JSON.stringify([
      await box.db.q.selectFrom('mail').selectAll().execute(),
      await box.db.q.selectFrom('job').selectAll().execute(),
    ])
    expect(stored).not.toContain(link)
    expect(stored).toContain(createHash('sha256').update(link).digest('hex'))
  })

  test('rejects a weak password or the user’s own email at the field, and the link keeps working', async () => {
    const { email } = await person()
    const link = await linkFor(email)
    for (const weak of ['password1234', email, 'short'])
      expect((await reset(link, weak)).body.fields).toHaveProperty('password')
    expect((await reset(`${link}x`)).status).toBe(403)
    expect((await reset(link)).status).toBe(200)
  })

  test.each([
    ['a password change', 'user/password', { password: 'eleven given kettles' }],
    ['an email change', 'user', { email: `changed.${dialect}@example.com` }],
    ['a block of the account', 'user', { status: 0 }],
  ])('the link stops working after %s', async (_what, call, change) => {
    const boss = await createSignedInPerson(box, { roles: { Admin: 2 } })
    const { id, email } = await person()
    const link = await linkFor(email)
    expect((await boss.screen.patch(`/api/v1/admin/${call}`, { id, ...change })).status).toBe(200)
    expect((await reset(link)).status).toBe(403)
  })

  test('limits requests from one network to five in 15 minutes, whichever email they name', async () => {
    const from = somewhere()
    const statuses = []
    for (let n = 0; n < 6; n += 1) statuses.push((await ask(`nobody${n}@example.com`, from)).status)
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
    const refused = await ask((await person()).email, from)
    expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('from your network')])
    expect((await ask('nobody@example.com')).status).toBe(202)
    box.pass(minutes(15))
    expect((await ask('nobody@example.com', from)).status).toBe(202)
  })

  test('after 100 requests from strangers, accepts only those from networks with an earlier sign-in', async () => {
    const { username = '' } = await person()
    expect((await browser(box.app, '203.0.113.9').signIn(username, password)).status).toBe(200)
    await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`nobody${n}@example.com`)))
    expect((await ask('nobody@example.com')).status).toBe(429)
    expect((await ask('nobody@example.com', '203.0.113.9')).status).toBe(202)
    box.pass(hours(1))
  })

  test('does not retry when the mail server rejects the address', async () => {
    const { email } = await person()
    smtp.setRecipientReply('550 No such user')
    await ask(email)
    await wait()
    await wait(minutes(10))
    smtp.setRecipientReply('250 OK')
    await wait(minutes(10))
    expect(sent()).toEqual([])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
  })
})

describe.each(racingDialects)('concurrent resets of a password on %s', async (dialect) => {
  const { box, wait, sent, person, ask, reset, linkFor } = await forgottenScene(dialect)

  test('mail one link for several requests, even while another instance queues one', async () => {
    const { id, email } = await person()
    await Promise.all([ask(email), ask(email), ask(email)])
    let queueing: Promise<unknown> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await lockUser(box.db, tx, { id })
      await queueLinkMail(box.context, tx, { kind: 'password', userId: id, email })
      queueing = box.work.runDue()
      if (dialect === 'postgres') await waitForLock(box.db.q, queueing)
    })
    await queueing
    await wait()
    expect(sent()).toEqual([`${email}: ${subject}`])
  })

  test('succeed only once with one link', async () => {
    const { email, username = '' } = await person()
    const link = await linkFor(email)
    const chosen = ['nine very loud parrots', 'ten very loud parrots']
    const answers = await Promise.all(chosen.map((one) => reset(link, one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const winner = chosen[answers.findIndex(({ status }) => status === 200)]
    expect((await browser(box.app).signIn(username, winner)).status).toBe(200)
  })

  test('fail if the password is being changed otherwise', async () => {
    const { id, email, username = '' } = await person()
    const link = await linkFor(email)
    let resetting: ReturnType<typeof reset> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await lockUser(box.db, tx, { id })
      await endLinks(tx, { kind: 'password', userId: id }, box.now())
      resetting = reset(link)
      if (dialect === 'postgres') await waitForLock(box.db.q, resetting)
    })
    expect((await resetting)?.status).toBe(403)
    expect((await browser(box.app).signIn(username)).status).toBe(200)
  })
})
