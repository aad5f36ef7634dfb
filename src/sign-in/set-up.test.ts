import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, startSession } from '../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { hours, minutes } from '../shared/time.ts'
import { createAdmin, inviteAdmin, passwordLink, resetPassword, setupLink } from './set-up.ts'

const password = 'eleven purple violins'
const body = { email: ' Ada@Example.com ', username: 'Ada', password }
const partsOf = (link = 'http://none') => new URLSearchParams(new URL(link).hash.slice(1))
const tokenOf = (link: string | undefined) => partsOf(link).get('token') ?? ''

describe.each(dialects)('the first admin on %s', (dialect) => {
  let box: Toolbox
  const open = async (env?: Record<string, string>) => {
    box = await toolbox(dialect, env)
    return browser(box.app)
  }
  const setUp = (screen: ReturnType<typeof browser>, more: object) =>
    screen.post('/api/v1/auth/setup', { ...body, ...more })
  afterEach(() => box.close())

  test('is created with the link, which works once, and can sign in', async () => {
    const screen = await open()
    const link = await setupLink(box.context)
    expect(link).toMatch(/^http:\/\/localhost:3000\/auth\/setup#token=[\w-]{43}$/)
    const created = await setUp(screen, { token: tokenOf(link), name: 'Ada Lovelace' })
    expect([created.status, created.body]).toEqual([
      201,
      { id: expect.any(String), email: 'ada@example.com', username: 'ada' },
    ])
    const { user } = (await screen.signIn('ada', password)).body
    expect(user).toMatchObject({ name: 'Ada Lovelace', status: 2, roles: { Admin: 2, Tools: 2 } })
    const second = await setUp(screen, { token: tokenOf(link), email: 'b@example.com', username: 'bob' })
    expect(second.status).toBe(403)
    expect(await setupLink(box.context)).toBeUndefined()
  })

  test('only the hash of the token is stored in the database', async () => {
    await open()
    const token = tokenOf(await setupLink(box.context))
    const rows = JSON.stringify(await box.db.q.selectFrom('setup_link').selectAll().execute())
    expect(rows).not.toContain(token)
    expect(rows).toContain(createHash('sha256').update(token).digest('hex'))
  })

  // On PostgreSQL, each instance prints its own link.
  test.each(dialect === 'postgres' ? ['one link', 'two links'] : ['one link'])(
    'is created only once by concurrent requests with %s',
    async (links) => {
      const screen = await open()
      const token = tokenOf(await setupLink(box.context))
      const other = links === 'one link' ? token : tokenOf(await setupLink(box.context))
      const answers = await Promise.all([
        setUp(screen, { token }),
        setUp(screen, { token: other, username: 'bob', email: 'bob@example.com' }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 403])
      expect(await box.db.q.selectFrom('users').select('id').execute()).toHaveLength(1)
    },
  )

  test('is not created with a wrong token or invalid input, and the link keeps working', async () => {
    const screen = await open()
    const token = tokenOf(await setupLink(box.context))
    expect((await setUp(screen, { token: `${token}x` })).status).toBe(403)
    expect((await setUp(screen, { token, password: 'password1234' })).body.fields).toHaveProperty('password')
    expect((await setUp(screen, { token, email: 'ada' })).body.fields).toHaveProperty('email')
    expect((await setUp(screen, { token, username: 'a b' })).body.fields).toHaveProperty('username')
    await createPerson(box.context, { name: 'ada' })
    const refused = await setUp(screen, { token })
    expect([refused.status, Object.keys(refused.body.fields)]).toEqual([409, ['email']])
    expect((await setUp(screen, { token, email: 'other@example.com' })).status).toBe(201)
  })

  test('cannot be created with an old link once there is an admin', async () => {
    const screen = await open()
    const link = await setupLink(box.context)
    await createAdmin(box.context, { email: 'root@example.com', username: 'root', password })
    expect((await setUp(screen, { token: tokenOf(link) })).status).toBe(403)
  })

  test('can be created within a day of each start', async () => {
    const screen = await open()
    const token = tokenOf(await setupLink(box.context))
    box.pass(hours(24))
    const late = await setUp(screen, { token })
    expect(late.status).toBe(403)
    expect(late.body.error).toContain('Restart the server')
    const next = tokenOf(await setupLink(box.context))
    box.pass(hours(24) - 1)
    expect((await setUp(screen, { token: next })).status).toBe(201)
  })

  test('gets a new link on each start, which ends older links except those of instances started together', async () => {
    const screen = await open()
    const first = await setupLink(box.context)
    box.pass(minutes(1))
    const second = await setupLink(box.context)
    if (dialect === 'postgres') box.pass(hours(1))
    const third = await setupLink(box.context)
    expect(new Set([first, second, third]).size).toBe(3)
    expect((await setUp(screen, { token: tokenOf(first) })).status).toBe(403)
    expect((await setUp(screen, { token: tokenOf(third) })).status).toBe(201)
  })

  // On PostgreSQL, another instance may have just printed the other link.
  if (dialect === 'sqlite')
    test('gets a new link that ends older ones even if the clock was set back', async () => {
      const screen = await open()
      const first = await setupLink(box.context)
      box.stepClock(-hours(2))
      const second = await setupLink(box.context)
      expect((await setUp(screen, { token: tokenOf(first) })).status).toBe(403)
      expect((await setUp(screen, { token: tokenOf(second) })).status).toBe(201)
    })

  test('is created from the configuration, and unchanged by the next start', async () => {
    const admin = { ADMIN_EMAIL: 'Root@Example.com', ADMIN_USERNAME: 'Root', ADMIN_PASSWORD: password }
    const screen = await open(admin)
    const links = await Promise.all([setupLink(box.context), setupLink(box.context)])
    expect([...links, await setupLink(box.context)]).toEqual([undefined, undefined, undefined])
    expect((await screen.signIn('root', password)).body.user).toMatchObject({
      email: 'root@example.com',
      roles: { Admin: 2, Tools: 2 },
    })
    expect(await box.db.q.selectFrom('users').select('id').execute()).toHaveLength(1)
  })

  test('a weak configured password stops the start with the reason', async () => {
    const admin = { ADMIN_EMAIL: 'root@example.com', ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'password1234' }
    await open(admin)
    await expect(setupLink(box.context)).rejects.toThrow('ADMIN_PASSWORD: This password is too common.')
  })

  test('another admin can be invited with a link that works once, for that person, within a day', async () => {
    const screen = await open()
    await createAdmin(box.context, { email: 'root@example.com', username: 'root', password })
    const token = tokenOf(await inviteAdmin(box.context, { email: 'Ada@example.com', username: 'ADA' }))
    const late = tokenOf(await inviteAdmin(box.context, { email: 'bob@example.com', username: 'bob' }))
    expect((await setUp(screen, { token, email: 'eve@example.com' })).body.fields).toHaveProperty('email')
    expect((await setUp(screen, { token })).status).toBe(201)
    expect((await setUp(screen, { token })).status).toBe(403)
    box.pass(hours(24))
    expect((await setUp(screen, { token: late, email: 'bob@example.com', username: 'bob' })).status).toBe(403)
  })

  test('a password reset ends the sessions, both by command and by link', async () => {
    const screen = await open()
    const person = await createPerson(box.context, { name: 'ada', username: 'ada' })
    const sessions = () => box.db.q.selectFrom('sessions').select('id').where('user_id', '=', person.id).execute()
    await startSession(box.context, box.auth, person)
    await resetPassword(box.context, ' Ada ', password)
    expect(await sessions()).toEqual([])
    expect((await screen.signIn('ada', password)).status).toBe(200)
    const link = await passwordLink(box.context, 'ada')
    expect(partsOf(link).get('for'), 'the link selects the texts of the page').toBe('password')
    const token = tokenOf(link)
    expect((await setUp(screen, { token, password: 'nineteen loud parrots' })).status).toBe(201)
    expect(await sessions()).toEqual([])
    expect((await browser(box.app).signIn('ada', 'nineteen loud parrots')).status).toBe(200)
    await expect(resetPassword(box.context, 'nobody', password)).rejects.toThrow('User not found.')
    await expect(resetPassword(box.context, 'ada', 'ada@example.com')).rejects.toThrow('email')
  })

  test('a password link ends with the next new password, however that was set', async () => {
    const screen = await open()
    await createPerson(box.context, { name: 'ada', username: 'ada' })
    const other = await createPerson(box.context, { name: 'bob', username: 'bob' })
    const others = tokenOf(await passwordLink(box.context, 'bob'))
    const links = [await passwordLink(box.context, 'ada'), await passwordLink(box.context, 'ada')]
    const [first, second] = links.map(tokenOf)
    expect((await setUp(screen, { token: second })).status).toBe(201)
    expect((await setUp(screen, { token: first })).status).toBe(403)
    const third = tokenOf(await passwordLink(box.context, 'ada'))
    await resetPassword(box.context, 'ada', 'nineteen loud parrots')
    expect((await setUp(screen, { token: third })).status).toBe(403)
    expect((await setUp(screen, { token: others, email: other.email, username: 'bob' })).status).toBe(201)
  })

  test('a password link of a user whose email was lost asks for the username alone', async () => {
    const screen = await open()
    const { id } = await createPerson(box.context, { name: 'ada', username: 'ada' })
    const lost = `${id}@unverified.invalid`
    await box.db.q.updateTable('users').set({ email: lost }).where('id', '=', id).execute()
    for (const email of [lost, 'ada@example.com']) {
      const token = tokenOf(await passwordLink(box.context, 'ada'))
      expect((await setUp(screen, { token, email, username: 'bob' })).body.fields).toHaveProperty('username')
      const done = await setUp(screen, { token, email })
      expect([done.status, done.body]).toEqual([201, { id, email: lost, username: 'ada' }])
    }
  })

  test('a link that has expired is deleted at the next start', async () => {
    await open()
    await createPerson(box.context, { name: 'ada', username: 'ada', roles: { Admin: 2, Tools: 0 } })
    await passwordLink(box.context, 'ada')
    const links = () => box.db.q.selectFrom('setup_link').select('purpose').execute()
    box.pass(hours(24) - 1)
    await setupLink(box.context)
    expect(await links()).toHaveLength(1)
    box.pass(1)
    await setupLink(box.context)
    expect(await links()).toEqual([])
  })
})
