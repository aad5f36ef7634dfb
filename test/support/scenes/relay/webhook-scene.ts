import type { Dialect } from '../../database/databases.ts'
import { type Channelbox, channelScene } from '../channel-scene.ts'

type Payload = { type: string; data: { entries: { name: string; url: string }[]; count: number; messages?: string[] } }

export async function webhookScene(dialect: Dialect) {
  const scene = await channelScene(dialect)
  let secret = ''
  const payloads = () => scene.services.received.map(({ body }) => body as unknown as Payload)
  return {
    scene,
    async webhook(more: object = {}) {
      const receiver = scene.services.webhook(() => secret)
      const channel = await scene.channel('webhook', receiver, more)
      secret = channel.settings.secret ?? ''
      return channel.id
    },
    payloads,
    /** Summaries of the received messages: type, texts or entries, and count. */
    summaries: () =>
      payloads().map(
        ({ type, data }) =>
          `${type} ${data.messages?.join() ?? data.entries.map(({ name }) => name).join()} ${data.count}`,
      ),
    ids: () => scene.services.visits.map(({ headers }) => headers['webhook-id']),
    answers: (...script: Parameters<Channelbox['services']['answers']>) => scene.services.answers(...script),
    jobs: async () => (await scene.db.q.selectFrom('job').select('id').execute()).length,
  }
}
