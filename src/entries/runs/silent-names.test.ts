import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { fakeDiscord } from '../../../test/support/fakes/fake-discord.ts'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { toolbox } from '../../../test/support/toolbox.ts'
import { machineResolve } from '../../platform/net/names.ts'
import { turnJob } from '../store.ts'

const entries = 1_000

test('a thousand entries whose DNS zone does not respond delay no other user’s pings, relays or sign-in', async () => {
  const discord = await fakeDiscord()
  const web = await fakeWeb()
  web.on('/200', {})
  const lookups: string[] = []
  const resolve = machineResolve(() => 0, {
    hostsFile: '/dev/null',
    ask: async (host) => {
      lookups.push(host)
      return host.endsWith('.silent.test') ? new Promise(() => {}) : ['127.0.0.1']
    },
  })
  const url = discord.env.DISCORD_URL.replace('127.0.0.1', 'discord.test')
  const box = await toolbox('sqlite', { DISCORD_URL: url }, undefined, { resolve })
  const [eve, bob] = [await box.createPerson('eve'), await box.createPerson('bob')]
  onTestFinished(async () => {
    await box.context.outbound.close()
    await box.work.stop()
    await box.close()
    await discord.close()
    await web.close()
  })

  const silent = Array.from({ length: entries }, (_, n) => ({ id: randomUUID(), url: `http://a${n}.silent.test/` }))
  const rows = silent.map(({ id, url }) => ({ id, settings: JSON.stringify({ url, interval: null }) }))
  await sql`insert into entry (id, tool, owner_id, status, settings, created_at, updated_at)
    select id, 'keepalive', ${eve.id}, 1, settings, 0, 0
    from ${box.db.rows('entries', { id: 'text', settings: 'text' }, rows)} where true`.execute(box.db.q)
  await box.context.jobs.add(
    silent.map(({ id }) => ({ id: turnJob(id), kind: 'turn', entryId: id, dueAt: box.now() - 1 })),
  )
  const { post } = box.as(bob)
  const relay = await post('/api/v1/herokudiscordwebhook/', { discordHook: discord.webhook().url })
  await post(`/api/v1/herokudiscordwebhook/test?id=${relay.body.id}`)
  await post('/api/v1/keepalive/', { url: `http://app.test:${web.port}/200` })

  await box.work.start()
  await expect.poll(() => lookups.filter((host) => host.endsWith('.silent.test')).length).toBeGreaterThan(30)
  await expect.poll(() => web.visits.length).toBe(1)
  await expect.poll(() => discord.posted.length).toBe(1)
  const provider = await box.context.outbound.request(`${url}/api/oauth2/token`, { timeout: 60_000 })
  expect(provider.answered).toBe(true)
  // One owner gets only 32 lookups at a time, and none of them has been answered.
  expect(lookups.filter((host) => host.endsWith('.silent.test'))).toHaveLength(32)
})
