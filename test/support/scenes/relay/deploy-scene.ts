import { beforeEach, expect } from 'vitest'
import type { Dialect } from '../../database/databases.ts'
import { deliveryScene } from './delivery-scene.ts'
import { type DeployEvents, deployEvents } from './deploy-events.ts'
import type { Relay } from './relay.ts'

/** The role that failures mention. */
export const role = '223456789012345678'

/** For tests of deploys that are one card: before each of them such an entry, and a deploy that nobody has heard of. */
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
    /** Heroku delivers these, and each goes on to Discord before the next one comes. */
    async deliver(...events: object[]) {
      for (const event of events) {
        box.pass(1)
        expect(await box.deliver(relay, event)).toBe(204)
        await box.work.runDue()
      }
    },
    /** What the channel shows: the title or content of each message, and how often it was edited. */
    shown: (of = hook) =>
      box.discord.shown(of).map(({ message: { embeds = [], content }, edits }) => [embeds[0]?.title ?? content, edits]),
    cards: () => box.db.q.selectFrom('relay_card').selectAll().where('entry_id', '=', relay.id).execute(),
    states: () => states(relay.id),
    /** What the log says of each delivery, oldest first. */
    notes: async () => (await box.deliveries(relay.id)).map(({ note }) => note).toReversed(),
  }
}
