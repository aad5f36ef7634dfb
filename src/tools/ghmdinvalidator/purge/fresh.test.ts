import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { openHouse } from '../../../../test/support/scenes/ghmd-scene.ts'
import { days, minutes } from '../../../shared/time.ts'

describe.each(dialects)('on %s', async (dialect) => {
  const house = await openHouse(dialect)
  afterAll(() => house.close())
  beforeEach(() => house.clear())

  describe('an image that was purged', () => {
    test('within ten minutes is not purged again, by whichever entry, and counts', async () => {
      const { github, box, last, origin, path, firstRun } = house
      const image = github.image(origin('shared'))
      await firstRun(github.page(path(), [image]))
      box.pass(minutes(10) - 1)
      const second = await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image])
      expect(second.run).toMatchObject({ success: true, status: 1 })
      expect((await last(second.id)).images).toMatchObject([{ outcome: 'fresh' }])
      box.pass(1)
      await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image, image])
      expect(await box.db.q.selectFrom('purge').select('hash').execute()).toHaveLength(1)
    })

    test('before the clock was set back by a day is purged again', async () => {
      const { github, box, origin, path, firstRun } = house
      const image = github.image(origin('earlier'))
      await firstRun(github.page(path(), [image]))
      box.stepClock(-days(1))
      await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image, image])
    })

    test('at this very moment for another entry is not asked for twice', async () => {
      const { github, box, create, read, origin, path } = house
      const image = github.image(origin('shared'), { delay: 50, body: '{"status":"ok","id":"1"}' })
      const ids = []
      for (let count = 0; count < 2; count++) ids.push((await create(github.page(path(), [image]))).id)
      await box.work.runDue()
      expect(github.purges()).toEqual([image])
      for (const id of ids) expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
    })

    test('is remembered by every instance, and by the next start', async () => {
      const { github, box, create, read, origin, path, firstRun } = house
      const image = github.image(origin('shared'))
      await firstRun(github.page(path(), [image]))
      const { id } = await create(github.page(path(), [image]))
      await box.secondWorker().runDue()
      expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
      expect(github.purges()).toEqual([image])
    })

    test('without success is asked for again by the next run', async () => {
      const { github, read, origin, path, firstRun, runNow } = house
      const image = github.image(origin('flaky'), { status: 404 }, { body: '{"status":"ok","id":"1"}' })
      const { id, run } = await firstRun(github.page(path(), [image]))
      expect(run).toMatchObject({ success: false })
      await runNow(id)
      expect((await read(id)).history[0]).toMatchObject({ success: true, status: 1 })
    })
  })
})
