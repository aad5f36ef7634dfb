import { beforeEach } from 'vitest'
import type { Notice } from '../../../src/platform/notice.ts'
import { hours } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { fakeDiscord } from '../fakes/fake-discord.ts'
import { fakeServices } from '../fakes/fake-services.ts'
import { fakeSmtp } from '../fakes/fake-smtp.ts'
import { closeAfterwards, toolbox } from '../toolbox.ts'

const path = '/api/v1/user/channels'

/** The server with fakes of all services, and Ada, who owns the channels. */
export async function channelbox(dialect: Dialect, env: Record<string, string> = {}) {
  const discord = await fakeDiscord()
  const services = await fakeServices()
  const smtp = await fakeSmtp()
  const box = await toolbox(dialect, { ...discord.env, ...services.env, ...smtp.env, ...env })
  const adaUser = await box.createPerson('ada')
  const ada = box.as(adaUser)
  const entryNews = (type: 'failing' | 'recovered' | 'blocked', name: string, ownerId = adaUser.id): Notice => ({
    type,
    ownerId,
    since: box.now(),
    cause: 'answered 503',
    entry: { id: `id of ${name}`, tool: 'keepalive', name, about: '', url: `https://${name}.example.com/` },
  })
  async function channel(type: string, settings: object, more: object = {}) {
    const answer = await ada.post(path, { type, settings, ...more })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body as { id: string; settings: Record<string, string> }
  }
  return {
    ...box,
    discord,
    services,
    smtp,
    path,
    ada,
    adaUser,
    entryNews,
    channel,
    /** Creates an email channel whose address is confirmed, and returns its id. */
    async confirmedEmail() {
      const { id } = await channel('email', { to: 'ada@home.example' })
      await box.db.q.updateTable('channel').set({ confirmed: 1 }).where('id', '=', id).execute()
      await box.db.q.deleteFrom('job').execute()
      return id
    },
    /** Creates an entry of Ada's with an open incident, and no job of its own. */
    async openIncident(blocked_at: number | null = null) {
      const { q } = box.db
      const url = 'http://127.0.0.1:9/health?key=a-secret'
      const { id } = (await ada.post('/api/v1/keepalive/', { url, name: 'Shop' })).body
      await q.updateTable('entry').set({ incident_id: 'i', blocked_at }).where('id', '=', id).execute()
      await q.deleteFrom('job').where('entry_id', '=', id).execute()
      const times = { since: box.now(), opened_at: box.now(), closed_at: null }
      const incident = { id: `i${box.now()}`, entry_id: id, cause: 'answered 503', ...times }
      await q.insertInto('incident').values(incident).execute()
    },
    notify: (...news: Notice[]) => box.db.q.transaction().execute((tx) => box.context.notify(tx, news)),
    fail: (...names: string[]) =>
      box.db.q.transaction().execute((tx) =>
        box.context.notify(
          tx,
          names.map((name) => entryNews('failing', name)),
        ),
      ),
    async wait(ms: number) {
      box.pass(ms)
      await box.work.runDue()
    },
    read: async (id: string) => (await ada.get(path)).body.find((one: { id: string }) => one.id === id),
    pending: async () => (await box.db.q.selectFrom('channel_news').select('id').execute()).length,
    async close() {
      discord.resetHanging()
      await box.close()
      for (const fake of [discord, services, smtp]) await fake.close()
    },
  }
}
export type Channelbox = Awaited<ReturnType<typeof channelbox>>

/** A `channelbox` shared by the tests of a file. Each test starts without channels, jobs and messages. */
export async function channelScene(dialect: Dialect, env: Record<string, string> = {}) {
  const box = closeAfterwards(await channelbox(dialect, env))
  beforeEach(async () => {
    for (const table of ['job', 'channel', 'entry', 'notification'] as const) await box.db.q.deleteFrom(table).execute()
    box.pass(hours(2))
    box.discord.forget()
    box.services.forget()
    box.smtp.mails.length = 0
    box.smtp.setRecipientReply('250 OK')
  })
  return box
}
