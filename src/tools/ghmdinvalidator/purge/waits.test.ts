import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { openHouse } from '../../../../test/support/scenes/ghmd-scene.ts'
import { hours } from '../../../shared/time.ts'

describe.each(dialects)('a run on %s', async (dialect) => {
  const house = await openHouse(dialect)
  afterAll(() => house.close())
  beforeEach(() => house.clear())

  test('asks again once after a 5xx or 429, as soon as the proxy says', async () => {
    const { github, box, origin, path, firstRun } = house
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
  ])('told to wait for %s fails, asks no more, and comes back no earlier', async (asked, after) => {
    const { github, box, origin, path, firstRun } = house
    const many = { status: 429, headers: { 'retry-after': asked } }
    const images = Array.from({ length: 40 }, (_, index) => github.image(origin(`i${index}`), many))
    const { run, entry } = await firstRun(github.page(path(), images))
    expect(run).toMatchObject({ success: false, status: 0 })
    expect(run.note).toMatch(
      /^0 of 40 images; https:\/\/img\.example\/i\d+\/\d+\.svg: answered 429, asks to wait \d+ s$/,
    )
    expect(github.purges().length).toBeLessThanOrEqual(8)
    expect(entry.nextRunAt).toBe(after === undefined ? Date.UTC(2026, 0, 9, 12) : box.now() + after)
  })

  test('between the turns that is told to wait moves the next turn, and only to later', async () => {
    const { github, box, read, path, firstRun, runNow } = house
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
