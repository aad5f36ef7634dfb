import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { outage } from '../../../test/support/database/outage.ts'
import { ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'
import { hours, seconds } from '../../shared/time.ts'

describe.each(dialects)('while the server’s own network is down, on %s', async (dialect) => {
  const network = outage()
  const { box, github, read, origin, path, firstRun } = await ghmdScene(dialect, { probes: network.probes })

  test('a scheduled run is postponed and nothing is recorded', async () => {
    const at = path()
    const { id } = await firstRun(github.page(at, [github.image(origin('a'))]))
    github.pages.on(at, 'reset')
    box.pass(hours(12))
    await network.begin(box)
    for (let tries = 0; tries < 6; tries++) {
      await box.work.runDue()
      box.pass(seconds(15))
    }
    expect((await read(id)).history).toHaveLength(1)

    network.end()
    github.page(at, [github.image(origin('a'))])
    await box.work.runDue()
    expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }, { success: true }])
  })
})
