import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { totpCode } from '../../test/support/authenticator.ts'
import { dialects } from '../../test/support/database/databases.ts'
import { type FakeGithub, fakeGithub } from '../../test/support/fakes/fake-github.ts'
import { browser, createPerson, password } from '../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { openSecrets, sealedColumns, verifySecret } from '../platform/crypto/secrets.ts'
import { tablesOf } from '../platform/db/rows/dump.ts'
import { resealAll } from './secrets.ts'

const old = 'the old secret of at least thirty-two characters'
const fresh = 'the new secret of at least thirty-two characters'
const webhook = `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}`
const relay = { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null }

describe.each(dialects)('a new APP_SECRET on %s', (dialect) => {
  let box: Toolbox
  let github: FakeGithub
  beforeEach(async () => {
    github = await fakeGithub()
    box = await toolbox(dialect, { ...github.env, APP_SECRET: old })
    await verifySecret(box.db, box.context.secrets)
  })
  afterEach(async () => {
    await box.close()
    await github.close()
  })

  /** The columns, as `table.column`, with text that this secret decrypts. */
  const sealedBy = async (appSecret: string) => {
    const secrets = openSecrets({ appSecret })
    const found = new Set<string>()
    for (const table of await tablesOf(box.db)) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(box.db.q)
      for (const row of rows)
        for (const [column, value] of Object.entries(row))
          for (const [text] of String(value).matchAll(/v1\.[\w-]{38,}/g))
            if (opened(secrets.open, text)) found.add(`${table}.${column}`)
    }
    return [...found].sort()
  }
  const opened = (open: (sealed: string) => string, text: string) => {
    try {
      return open(text) !== undefined
    } catch {
      return false
    }
  }
  const restarted = (env: Record<string, string>) =>
    toolbox(dialect, { ...github.env, ...env }, undefined, {
      database: { db: box.db, url: undefined, drop: async () => {} },
    })

  test('works alongside the old one until everything is re-encrypted, even after an interruption', async () => {
    const person = await createPerson(box.context, { name: 'ada', username: 'ada' })
    const screen = browser(box.app)
    await screen.signIn('ada')
    const other = browser(box.app, '192.0.2.2')
    await other.signIn('ada')
    const app = await screen.post('/api/auth/two-factor/enable', { password })
    await screen.post('/api/auth/two-factor/verify-totp', { code: totpCode(app.body.totpURI, box.now()) })
    await screen.post('/api/auth/two-factor/enable', { password })
    const entry = (await screen.post('/api/v1/herokudiscordwebhook/', { ...relay, discordHook: webhook })).body
    await screen.post(`/api/v1/herokudiscordwebhook/secret?id=${entry.id}`)
    const page = (await screen.post('/api/v1/ghmdinvalidator/', { url: github.page('/owner/page', []) })).body
    await screen.post('/api/v1/user/channels', { type: 'telegram', settings: { token: '1:secret', chat: '2' } })
    const before = (await screen.get(`/api/v1/herokudiscordwebhook?id=${entry.id}`)).body
    expect(await sealedBy(old)).toEqual(Object.keys(sealedColumns).sort())

    const both = await restarted({ APP_SECRET: fresh, APP_SECRET_PREVIOUS: old })
    const same = browser(both.app, '192.0.2.1', Object.fromEntries(screen.jar))
    expect((await same.get(`/api/v1/herokudiscordwebhook?id=${entry.id}`)).body).toMatchObject({
      discordHook: webhook,
      secret: before.secret,
    })
    // The page was loaded before the restart and still sends the old token.
    expect((await same.patch('/api/v1/herokudiscordwebhook', { id: entry.id, showActor: true })).status).toBe(200)
    await same.get('/api/v1/auth/session')
    // Better Auth, which supports only one secret, ends a session by its cookie.
    await browser(both.app, '192.0.2.2', Object.fromEntries(other.jar)).post('/api/auth/sign-out', {})
    expect(await box.db.q.selectFrom('sessions').select('id').execute()).toHaveLength(1)
    await expect(verifySecret(box.db, openSecrets({ appSecret: fresh }))).rejects.toThrow('rotate-secret')

    let remaining = 3
    const interrupted = {
      ...both.context.secrets,
      reseal(text: string) {
        if (remaining-- === 0) throw new Error('killed')
        return both.context.secrets.reseal(text)
      },
    }
    await expect(resealAll(box.db, interrupted)).rejects.toThrow('killed')
    await verifySecret(box.db, openSecrets({ appSecret: old }))
    expect(await resealAll(box.db, both.context.secrets)).toBeGreaterThan(0)
    expect(await resealAll(box.db, both.context.secrets)).toBe(0)
    expect([await sealedBy(old), await sealedBy(fresh)]).toEqual([[], Object.keys(sealedColumns).sort()])

    const alone = await restarted({ APP_SECRET: fresh })
    await verifySecret(box.db, alone.context.secrets)
    await expect(verifySecret(box.db, openSecrets({ appSecret: old }))).rejects.toThrow('APP_SECRET')
    const [channel] = await box.db.q.selectFrom('channel').select('settings').execute()
    expect(alone.context.secrets.open(channel!.settings)).toContain('1:secret')
    const later = browser(alone.app, '192.0.2.1', Object.fromEntries(same.jar))
    await later.get('/api/v1/auth/session')
    const read = async (path: string) => (await later.get(path)).body
    expect(await read(`/api/v1/herokudiscordwebhook?id=${entry.id}`)).toMatchObject({ secret: before.secret })
    expect(await read(`/api/v1/ghmdinvalidator?id=${page.id}`)).toMatchObject({ hookUrl: page.hookUrl })
    expect((await later.post('/api/auth/sign-out', {})).status).toBe(200)
    alone.pass(60_000)
    await later.signIn(person.username ?? '')
    const code = totpCode(app.body.totpURI, alone.now())
    expect((await later.post('/api/auth/two-factor/verify-totp', { code })).body.user.id).toBe(person.id)
  })
})
