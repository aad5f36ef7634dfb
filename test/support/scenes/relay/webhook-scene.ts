import type { Dialect } from '../../database/databases.ts'
import { type Channelbox, channelScene } from '../channel-scene.ts'

type Payload = { type: string; data: { entries: { name: string; url: string }[]; count: number; messages?: string[] } }

/** What a receiver of webhooks is told by a channel of Ada's. */
export async function webhookScene(dialect: Dialect) {
  const scene = await channelScene(dialect)
  let secret = ''
  const payloads = () => scene.services.taken.map(({ body }) => body as unknown as Payload)
  return {
    scene,
    /** A channel that the receiver listens to. */
    async webhook(more: object = {}) {
      const receiver = scene.services.webhook(() => secret)
      const channel = await scene.channel('webhook', receiver, more)
      secret = channel.settings.secret ?? ''
      return channel.id
    },
    payloads,
    /** What it was told, and when. */
    told: () =>
      payloads().map(
        ({ type, data }) =>
          `${type} ${data.messages?.join() ?? data.entries.map(({ name }) => name).join()} ${data.count}`,
      ),
    /** The ids of the messages, of each attempt. */
    ids: () => scene.services.visits.map(({ headers }) => headers['webhook-id']),
    answers: (...script: Parameters<Channelbox['services']['answers']>) => scene.services.answers(...script),
    /** How many jobs there are. */
    jobs: async () => (await scene.db.q.selectFrom('job').select('id').execute()).length,
  }
}
