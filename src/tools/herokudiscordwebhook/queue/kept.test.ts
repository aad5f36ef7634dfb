import { afterAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { relaybox, release } from '../../../../test/support/scenes/relay/relay.ts'
import { days } from '../../../shared/time.ts'
import { server as herokudiscordwebhookServer } from '../server.ts'

describe.each(bothDialects)('the log of an entry on %s', async (dialect) => {
  const box = await relaybox(dialect)
  afterAll(() => box.close())

  test('keeps finished deliveries for 30 days, and waiting ones without limit', async () => {
    const storedStates = async () => {
      await herokudiscordwebhookServer.cleanUp!(box.context)
      // Read the table, because the session has expired by now.
      const rows = await box.db.q
        .withTables<{ relay_event: { state: string } }>()
        .selectFrom('relay_event')
        .select('state')
        .execute()
      return rows.map(({ state }) => state).sort()
    }
    const relay = await box.relay(box.discord.webhook())
    await box.deliver(relay, release(1))
    await box.work.runDue()
    await box.deliver(relay, release(2))
    box.pass(days(30) - 1)
    expect(await storedStates()).toEqual(['accepted', 'delivered'])
    box.pass(2)
    expect(await storedStates()).toEqual(['accepted'])
  })
})
