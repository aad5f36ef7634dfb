import { beforeEach, expect } from 'vitest'
import type { Dialect } from '../../database/databases.ts'
import { deliveryScene } from './delivery-scene.ts'
import { type DeployEvents, deployEvents } from './deploy-events.ts'
import type { Relay } from './relay.ts'

/** The role that failures mention. */
export const role = '223456789012345678'

/** For tests of deploys shown as one card: each test gets a new entry with cards, and a new deploy. */
export async function deployScene(dialect: Dialect) {
  const { box, hook, states } = await deliveryScene(dialect)
  const relay = {} as Relay
  const deploy = {} as DeployEvents

  beforeEach(async () => {
    Object.assign(relay, await box.relay(hook, { card: true, mentionRole: role }))
    Object.assign(deploy, deployEvents())
    box.discord.forget()
  })

  return {
    ...{ box, hook, relay, deploy },
    /** Makes Heroku deliver these events; each is sent to Discord before the next one arrives. */
    async deliver(...events: object[]) {
      for (const event of events) {
        box.pass(1)
        expect(await box.deliver(relay, event)).toBe(204)
        await box.work.runDue()
      }
    },
    posted: (of = hook) =>
      box.discord
        .currentMessages(of)
        .map(({ message: { embeds = [], content }, edits }) => [embeds[0]?.title ?? content, edits]),
    cards: () => box.db.q.selectFrom('relay_card').selectAll().where('entry_id', '=', relay.id).execute(),
    states: () => states(relay.id),
    notes: async () => (await box.deliveries(relay.id)).map(({ note }) => note).toReversed(),
  }
}
