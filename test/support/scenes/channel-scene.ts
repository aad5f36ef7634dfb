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
  return {
    ...box,
    discord,
    services,
    smtp,
    path,
    ada,
    adaUser,
    entryNews,
    async channel(type: string, settings: object, more: object = {}) {
      const answer = await ada.post(path, { type, settings, ...more })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body as { id: string; settings: Record<string, string> }
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
