import { afterAll, beforeEach, expect } from 'vitest'
import { hours, type Milliseconds } from '../../../../src/shared/time.ts'
import type { Dialect } from '../../database/databases.ts'
import type { FakeHook } from '../../fakes/fake-discord.ts'
import { type Relay, relaybox, release } from './relay.ts'

/** For tests of deliveries: each test gets a new webhook, `hook`, and a new entry for it, `relay`. */
export async function deliveryScene(dialect: Dialect) {
  const box = await relaybox(dialect)
  const hook = {} as FakeHook
  const relay = {} as Relay
  let version = 0

  afterAll(() => box.close())
  beforeEach(async () => {
    await box.db.q.deleteFrom('entry').execute()
    // Lets rate limits from the previous test expire.
    box.pass(hours(2))
    Object.assign(hook, box.discord.webhook())
    Object.assign(relay, await box.relay(hook))
    box.discord.forget()
    version = 0
  })

  async function deliver(count: number, to = relay) {
    for (let i = 0; i < count; i++) {
      box.pass(1)
      version += 1
      expect(await box.deliver(to, release(version))).toBe(204)
    }
  }

  return {
    ...{ box, hook, relay, deliver },
    /** Delivers releases, and sends to Discord what is due. */
    async send(count: number, to = relay) {
      await deliver(count, to)
      await box.work.runDue()
    },
    /** Sends to Discord what is due after this time. */
    async runAfter(wait: Milliseconds) {
      box.pass(wait)
      await box.work.runDue()
    },
    /** Delivers releases of these versions while Discord refuses them, so that they are parked. */
    async holding(...versions: number[]) {
      box.discord.answers(hook, 'unknown')
      for (const version of versions) {
        box.pass(1)
        await box.deliver(relay, release(version))
      }
      await box.work.runDue()
      box.discord.answers(hook, 'ok')
      box.discord.forget()
    },
    patch: (body: object) => box.ada.patch(box.base, { id: relay.id, ...body }),
    lastVersion: () => version,
    titles: (...versions: number[]) => versions.map((each) => expect.stringContaining(`v${each}`)),
    posted: () => box.discord.postedTitles(hook),
    states: async (id = relay.id) => (await box.deliveries(id)).map(({ state }) => state).toReversed(),
    history: async (id = relay.id): Promise<{ success: boolean; note: string }[]> => (await box.read(id)).history,
    notices: () => box.db.q.selectFrom('notification').select(['user_id', 'message', 'author']).execute(),
  }
}
