import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { hours } from '../../../../src/shared/time.ts'
import type { Dialect } from '../../database/databases.ts'
import type { FakeHook } from '../../fakes/fake-discord.ts'
import { type Relay, type Relaybox, relaybox, release } from './relay.ts'

/** For tests of deliveries: before each of them a webhook and an entry that relays to it, both new. */
export function deliveryScene(dialect: Dialect) {
  let box: Relaybox
  let hook: FakeHook
  let relay: Relay
  let version = 0

  beforeAll(async () => {
    box = await relaybox(dialect)
  })
  afterAll(() => box.close())
  beforeEach(async () => {
    await box.db.q.deleteFrom('entry').execute()
    // Whatever a test made Discord ask for is over.
    box.pass(hours(2))
    hook = box.discord.webhook()
    relay = await box.relay(hook)
    box.discord.forget()
    version = 0
  })

  return {
    /** The current test's fixtures. */
    now: () => ({ box, hook, relay }),
    /** Heroku delivers so many releases, one after the other. */
    async deliver(count: number, to = relay) {
      for (let i = 0; i < count; i++) {
        box.pass(1)
        version += 1
        expect(await box.deliver(to, release(version))).toBe(204)
      }
    },
    /** Events of these versions that Discord refused. */
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
    /** Changes the entry. */
    patch: (body: object) => box.ada.patch(box.base, { id: relay.id, ...body }),
    /** The release that was delivered last. */
    lastVersion: () => version,
    titles: (...versions: number[]) => versions.map((each) => expect.stringContaining(`v${each}`)),
    said: () => box.discord.said(hook),
    states: async (id = relay.id) => (await box.deliveries(id)).map(({ state }) => state).toReversed(),
    history: async (id = relay.id): Promise<{ success: boolean; note: string }[]> => (await box.read(id)).history,
    notices: () => box.db.q.selectFrom('notification').select(['user_id', 'message', 'author']).execute(),
  }
}
