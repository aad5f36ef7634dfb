import { randomUUID } from 'node:crypto'
import { signatureOf } from '../../../../src/tools/herokudiscordwebhook/hook.ts'
import type { Dialect } from '../../database/databases.ts'
import { type FakeHook, fakeDiscord } from '../../fakes/fake-discord.ts'
import { type Overrides, toolbox } from '../../toolbox.ts'
import { payloadOf } from './example-events.ts'

const base = '/api/v1/herokudiscordwebhook'

export async function relaybox(dialect: Dialect, env: Record<string, string> = {}, outside?: Overrides) {
  const discord = await fakeDiscord()
  const box = await toolbox(dialect, { RELAY_RETRY: '5s,30s', ...discord.env, ...env }, undefined, outside)
  const adaUser = await box.createPerson('ada')
  const ada = box.as(adaUser)

  return {
    ...box,
    discord,
    base,
    ada,
    adaUser,
    async relay(hook: FakeHook, more: object = {}): Promise<Relay> {
      const answer = await ada.post(`${base}/`, { discordHook: hook.url, ...more })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      const { id, herokuEndpoint, secret } = answer.body
      return { id, secret, path: new URL(herokuEndpoint).pathname }
    },
    /** Posts a signed body as Heroku does; returns the status. */
    async deliver(
      { path, secret }: Relay,
      payload: unknown,
      headers: Record<string, string> = {},
      app = box.app,
    ): Promise<number> {
      const body = JSON.stringify(payload)
      const signed = secret === null ? {} : { 'heroku-webhook-hmac-sha256': signatureOf(secret, Buffer.from(body)) }
      const type = { 'content-type': 'application/json; charset=utf-8' }
      const answer = await app.inject({
        method: 'POST',
        url: path,
        payload: body,
        headers: { ...type, ...signed, ...headers },
      })
      return answer.statusCode
    },
    read: async (id: string) => (await ada.get(`${base}?id=${id}`)).body,
    /** Newest first. */
    deliveries: async (id: string): Promise<{ id: string; state: string; note?: string; attempts: number }[]> =>
      (await ada.get(`${base}/deliveries?id=${id}`)).body,
    async close() {
      discord.resetHanging()
      await box.close()
      await discord.close()
    },
  }
}
export type Relaybox = Awaited<ReturnType<typeof relaybox>>
export type Relay = { id: string; secret: string | null; path: string }

/** The event of a new release with this version, which its message shows. */
export function release(version: number): Record<string, unknown> {
  const payload = payloadOf('release-succeeded')
  const data = { ...Object(payload.data), id: randomUUID(), version }
  return { ...payload, id: randomUUID(), data }
}
