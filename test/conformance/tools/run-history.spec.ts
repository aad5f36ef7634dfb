import type { Page } from '@playwright/test'
import { entryOf, entryTools, removeEntry, rootOf, runOf } from '../../support/page/entry-tools.ts'
import { expect, test, turn } from '../../support/page/kit.ts'

test.use({ visitor: 'ada', timezoneId: 'Europe/Berlin' })

const noon = Date.UTC(2026, 0, 31, 11, 0, 0)
const runs = [
  { success: true, timestamp: noon + 3_600_000, duration: 12, status: 7 },
  { success: false, timestamp: noon, duration: 34, status: 2, note: 'answered 503' },
]
const clocks = (page: Page) => page.getByRole('region', { name: 'Uptime' }).locator('figcaption span')

test('As time passes', async ({ page, house, holds }) => {
  const id = await house.entry('/ages', { status: false })
  let history = [{ success: true, timestamp: noon - 400, duration: 12 }]
  await page.clock.install({ time: noon - 60_000 })
  await page.route('**/api/v1/keepalive?id=*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), history } })
  })
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await expect(clocks(page).first()).toBeAttached()
  await page.clock.pauseAt(noon)
  const line = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await page.clock.runFor(1_000)

  await holds('After one run, how long ago it was stands once under the chart.', async () => {
    await expect(clocks(page)).toHaveText(['', '1 run', '1 second ago'])
  })
  await holds('How long ago something was stays true while one looks.', async () => {
    await page.clock.runFor(20_000)
    await expect(line).toContainText('21 seconds ago')
    await page.clock.runFor(120_000)
    await expect(line).toContainText('2 minutes ago')
  })
  await holds('A tab behind rests, and is true again once it is seen.', async () => {
    await turn(page, 'hidden')
    await page.clock.runFor(180_000)
    await expect(line).toContainText('2 minutes ago')
    await turn(page, 'visible')
    await expect(line).toContainText('5 minutes ago')
  })
  await holds('After two runs, the first and the last stand at the ends.', async () => {
    history = [{ success: true, timestamp: noon + 255_000, duration: 12 }, ...history]
    await page.clock.resume()
    await page.reload()
    await expect(clocks(page)).toHaveText(['5 minutes ago', '2 runs', '1 minute ago'])
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await house.remove(id)
})

/** A run as this tool keeps it. */
const keptBy = (tool: string) =>
  runs.map(({ status, ...run }) => (tool === 'ghmdinvalidator' ? { ...run, status } : run))

const event = { resource: 'api:release', action: 'update', attempts: 1 }
/** The relay's runs are its deliveries. */
const deliveries = [
  { ...event, id: 'b', eventId: 'b', state: 'delivered', receivedAt: noon + 3_600_000 },
  { ...event, id: 'a', eventId: 'a', state: 'held', receivedAt: noon },
]

for (const tool of entryTools) {
  const { contract } = tool
  test(`${contract.label}${runOf(tool)}`, async ({ page, house, holds }) => {
    const { id } = await entryOf(house, tool, 'history')
    await page.clock.install({ time: noon + 2 * 3_600_000 })
    await page.route(`**${contract.path}?id=*`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...(await answer.json()), history: keptBy(contract.id) } })
    })
    const isRelay = contract.id === 'herokudiscordwebhook'
    if (isRelay)
      await page.route(`**${contract.path}/deliveries?id=*`, (route) => {
        const isOfRuns = route.request().url().includes('state=run')
        return route.fulfill({ json: isOfRuns ? deliveries : [{ ...deliveries[0], id: 'c', state: 'ignored' }] })
      })
    await page.goto(`${rootOf(tool)}/modify?id=${id}`)
    const card = page.getByRole('region', { name: 'Run History' })
    const lines = card.getByRole('list', { name: 'Runs' }).getByRole('listitem')

    await holds('There is one line a run, newest first.', async () => {
      await expect(lines).toHaveCount(2)
    })
    await holds('It says SUCCESS or FAIL, the date and time, and how long ago that was.', async () => {
      await expect(lines.nth(0)).toHaveText(/^SUCCESS\s*31\/01\/2026 01:00:00 PM\s*1 hour ago/)
      await expect(lines.nth(1)).toHaveText(/^FAIL\s*31\/01\/2026 12:00:00 PM\s*2 hours ago/)
    })
    if (contract.id === 'ghmdinvalidator')
      await holds('It says how many cache items were purged.', async () => {
        await expect(lines.nth(0)).toContainText('7 purged')
        await expect(lines.nth(1)).toContainText('2 purged')
      })
    if (isRelay)
      await holds('Events that are no runs stand in the same card under a filter, not among the runs.', async () => {
        await card.getByRole('button', { name: 'Ignored' }).click()
        await expect(lines).toHaveText([/^IGNORED/])
      })
    else
      await holds('It is there to read: nothing in it can be pressed or filled in.', async () => {
        for (const role of ['button', 'textbox', 'link', 'checkbox'] as const)
          await expect(card.getByRole(role)).toHaveCount(0)
      })
    await page.goto('about:blank')
    await removeEntry(house, tool, id)
  })
}
