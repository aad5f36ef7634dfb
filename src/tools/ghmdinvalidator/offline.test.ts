import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { outage } from '../../../test/support/database/outage.ts'
import { ghmdbox } from '../../../test/support/scenes/ghmd-scene.ts'
import { hours, seconds } from '../../shared/time.ts'

describe.each(dialects)('while the server’s own network is down, on %s', async (dialect) => {
  const network = outage()
  const house = await ghmdbox(dialect, { probes: network.probes })
  afterAll(() => house.close())

  test('a scheduled run is postponed and nothing is recorded', async () => {
    const { box, github, read, origin } = house
    const path = house.path()
    const { id } = await house.firstRun(github.page(path, [github.image(origin('a'))]))
    github.pages.on(path, 'reset')
    box.pass(hours(12))
    await network.begin(box)
    for (let tries = 0; tries < 6; tries++) {
      await box.work.runDue()
      box.pass(seconds(15))
    }
    expect((await read(id)).history).toHaveLength(1)

    network.end()
    github.page(path, [github.image(origin('a'))])
    await box.work.runDue()
    expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }, { success: true }])
  })
})
