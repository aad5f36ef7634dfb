import type { Dialect } from '../../database/databases.ts'
import { type Channelbox, channelScene } from '../channel-scene.ts'

type Payload = { type: string; data: { entries: { name: string; url: string }[]; count: number; messages?: string[] } }

/** A webhook channel of Ada's and its receiver. */
export async function webhookScene(dialect: Dialect) {
  const scene = await channelScene(dialect)
  let secret = ''
  const payloads = () => scene.services.taken.map(({ body }) => body as unknown as Payload)
  return {
    scene,
    /** Creates a channel that sends to the receiver; returns its id. */
    async webhook(more: object = {}) {
      const receiver = scene.services.webhook(() => secret)
      const channel = await scene.channel('webhook', receiver, more)
      secret = channel.settings.secret ?? ''
      return channel.id
    },
    payloads,
    /** Summaries of the received messages: type, texts or entries, and count. */
    told: () =>
      payloads().map(
        ({ type, data }) =>
          `${type} ${data.messages?.join() ?? data.entries.map(({ name }) => name).join()} ${data.count}`,
      ),
    /** The message id of each attempt. */
    ids: () => scene.services.visits.map(({ headers }) => headers['webhook-id']),
    answers: (...script: Parameters<Channelbox['services']['answers']>) => scene.services.answers(...script),
    /** The number of jobs. */
    jobs: async () => (await scene.db.q.selectFrom('job').select('id').execute()).length,
  }
}
