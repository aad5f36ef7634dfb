import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { fakeGithub } from '../../../test/support/fakes/fake-github.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'

const hook = (token: string) => `https://discord.com/api/webhooks/123456789012345678/${token.repeat(68)}`
const options = { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null }
const relay = '/api/v1/herokudiscordwebhook'

describe.each(dialects)('the audit log of entries on %s', async (dialect) => {
  const github = closeAfterwards(await fakeGithub())
  const box = closeAfterwards(await toolbox(dialect, github.env))

  const logged = async () => {
    const rows = await box.db.q.selectFrom('audit').selectAll().orderBy('at').execute()
    return rows.map(({ actor, action, target, changes }) => {
      const parsed: { field: string; from: unknown; to: unknown }[] = JSON.parse(changes)
      return [actor, action, target, Object.fromEntries(parsed.map(({ field, from, to }) => [field, from ?? to]))]
    })
  }

  test('records new secrets and hook URLs of every entry, but other changes only to other users’ entries', async () => {
    const [adaUser, bossUser] = [await box.createPerson('ada'), await box.createPerson('boss', 2)]
    const [ada, boss] = [box.as(adaUser), box.as(bossUser)]
    const did = async (step: Promise<{ status: number; body: { id: string } }>) => {
      const { status, body } = await step
      expect(status).toBeLessThan(300)
      box.pass(1)
      return body.id
    }
    const id = await did(ada.post(`${relay}/`, { ...options, discordHook: hook('a') }))
    await did(ada.patch(relay, { id, showActor: true }))
    await did(ada.post(`${relay}/secret?id=${id}`))
    await did(ada.patch(relay, { id, discordHook: hook('b') }))
    await did(boss.patch(relay, { id, name: 'Deploys', showActor: false, status: false }))
    await did(boss.patch(relay, { id, owner: bossUser.email }))
    await did(boss.delete(`${relay}?id=${id}`))
    const page = await did(ada.post('/api/v1/ghmdinvalidator/', { url: github.page('/owner/page', []) }))
    await did(ada.post(`/api/v1/ghmdinvalidator/hook?id=${page}`))
    await did(boss.delete(`/api/v1/ghmdinvalidator?id=${page}`))
    const entry = `webhook relay entry ${id}`
    const cached = `cache invalidator entry ${page}`
    expect(await logged()).toEqual([
      [adaUser.email, 'secret.renew', adaUser.email, { entry, settings: ['secret'] }],
      [adaUser.email, 'secret.renew', adaUser.email, { entry, settings: ['discordHook'] }],
      [bossUser.email, 'entry.edit', adaUser.email, { entry, settings: ['showActor'], name: 'Deploys', active: true }],
      [
        bossUser.email,
        'entry.edit',
        adaUser.email,
        { entry: `webhook relay entry Deploys (${id})`, owner: adaUser.email },
      ],
      [adaUser.email, 'hook.renew', adaUser.email, { entry: cached }],
      [bossUser.email, 'entry.delete', adaUser.email, { entry: cached }],
    ])
    const text = JSON.stringify(await logged())
    // Look for 20 letters in a row, because a random id may contain a few.
    for (const token of ['a', 'b']) expect(text).not.toContain(token.repeat(20))
  })
})
