import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { ghmdScene } from '../../../../test/support/scenes/ghmd-scene.ts'
import { days, hours, minutes } from '../../../shared/time.ts'

describe.each(dialects)('on %s', async (dialect) => {
  const { github, box, create, read, last, origin, path, firstRun, runNow } = await ghmdScene(dialect)

  describe('a purged image', () => {
    test('within the last ten minutes is not purged again by any entry or instance, and counts as purged', async () => {
      const image = github.image(origin('shared'))
      await firstRun(github.page(path(), [image]))
      box.pass(minutes(10) - 1)
      const second = await firstRun(github.page(path(), [image]))
      expect(second.run).toMatchObject({ success: true, status: 1 })
      expect((await last(second.id)).images).toMatchObject([{ outcome: 'fresh' }])
      const { id } = await create(github.page(path(), [image]))
      await box.secondWorker().runDue()
      expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
      expect(github.purges()).toEqual([image])
      box.pass(1)
      await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image, image])
      expect(await box.db.q.selectFrom('purge').select('hash').execute()).toHaveLength(1)
    })

    test('before the clock was set back by a day is purged again', async () => {
      const image = github.image(origin('earlier'))
      await firstRun(github.page(path(), [image]))
      box.stepClock(-days(1))
      await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image, image])
    })

    test('by two entries at the same time is requested only once', async () => {
      const image = github.image(origin('shared'), { delay: 50, body: '{"status":"ok","id":"1"}' })
      const ids = []
      for (let count = 0; count < 2; count++) ids.push((await create(github.page(path(), [image]))).id)
      await box.work.runDue()
      expect(github.purges()).toEqual([image])
      for (const id of ids) expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
    })

    test('without success is purged again by the next run', async () => {
      const image = github.image(origin('flaky'), { status: 404 }, { body: '{"status":"ok","id":"1"}' })
      const { id, run } = await firstRun(github.page(path(), [image]))
      expect(run).toMatchObject({ success: false })
      await runNow(id)
      expect((await read(id)).history[0]).toMatchObject({ success: true, status: 1 })
    })
  })

  describe('a run', () => {
    test('retries once after a 5xx or 429, after the wait that the proxy requests', async () => {
      const ok = { body: '{"status":"ok","id":"1"}' }
      const now = new Date(box.now()).toUTCString()
      const images = [
        github.image(origin('busy'), { status: 503, headers: { 'retry-after': '0' } }, ok),
        github.image(origin('many'), { status: 429, headers: { 'retry-after': now } }, ok),
        github.image(origin('broken'), { status: 500, headers: { 'retry-after': '0' } }),
      ]
      const { run } = await firstRun(github.page(path(), images))
      expect(run).toMatchObject({
        success: false,
        status: 2,
        note: expect.stringMatching(/^2 of 3 images; .*answered 500$/),
      })
      expect(github.purges()).toHaveLength(6)
    })

    test.each([
      ['86400', hours(24)],
      ['60', hours(12)],
      [new Date(Date.UTC(2026, 0, 9, 12)).toUTCString(), undefined],
    ])('asked to wait for %s fails, sends no more requests, and runs again no earlier', async (retryAfter, after) => {
      const many = { status: 429, headers: { 'retry-after': retryAfter } }
      const images = Array.from({ length: 40 }, (_, index) => github.image(origin(`i${index}`), many))
      const { run, entry } = await firstRun(github.page(path(), images))
      expect(run).toMatchObject({ success: false, status: 0 })
      expect(run.note).toMatch(
        /^0 of 40 images; https:\/\/img\.example\/i\d+\/\d+\.svg: answered 429, asks to wait \d+ s$/,
      )
      expect(github.purges().length).toBeLessThanOrEqual(8)
      expect(entry.nextRunAt).toBe(after === undefined ? Date.UTC(2026, 0, 9, 12) : box.now() + after)
    })

    test('started manually and asked to wait can postpone the next scheduled run, but not advance it', async () => {
      const at = path()
      const { id, entry } = await firstRun(github.page(at, []))
      github.pages.on(at, { status: 429, headers: { 'retry-after': '60' } })
      await runNow(id)
      expect((await read(id)).nextRunAt).toBe(entry.nextRunAt)
      github.pages.on(at, { status: 429, headers: { 'retry-after': '172800' } })
      await runNow(id)
      const after = await read(id)
      expect(after.nextRunAt).toBe(box.now() + hours(48))
      expect(after.history[0]).toMatchObject({ success: false, note: 'GitHub answered 429, asks to wait 172800 s' })
    })
  })
})
