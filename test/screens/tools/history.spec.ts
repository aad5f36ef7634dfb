import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { dayOf, days, hours, minutes } from '../../../src/shared/time.ts'
import {
  createEntry,
  createFailingEntry,
  entryTools,
  recover,
  releaseTagOf,
  rootOf,
} from '../../support/page/entry-tools.ts'
import { expectLeavePrompts } from '../../support/page/forms.ts'
import { changeDatabase, type Instance } from '../../support/page/instance.ts'
import { delayRequests, expect, setVisibility, test, toasts } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const noon = Date.UTC(2026, 0, 31, 11, 0, 0)
const runs = [
  { success: true, timestamp: noon + 3_600_000, duration: 12, status: 7 },
  { success: false, timestamp: noon, duration: 34, status: 2, note: 'answered 503' },
]

const clocks = (page: Page) => page.getByRole('region', { name: 'Uptime' }).locator('figcaption span')

const keptBy = (tool: string) =>
  runs.map(({ status, ...run }) => (tool === 'ghmdinvalidator' ? { ...run, status } : run))
const event = { resource: 'api:release', action: 'update', attempts: 1 }

/** The relay's runs are its deliveries. */
const deliveries = [
  { ...event, id: 'b', eventId: 'b', state: 'delivered', receivedAt: noon + 3_600_000 },
  { ...event, id: 'a', eventId: 'a', state: 'held', receivedAt: noon },
]

const modify = '/tools/keepalive/modify'

/** Stores 50 days of runs, one of them with failures, and a closed incident. */
const remember = (instance: Instance, entry_id: string) =>
  changeDatabase(instance, async (db) => {
    const now = Date.now()
    const before = Array.from({ length: 50 }, (_, index) => {
      const fail = index === 9 ? 3 : 0
      return { entry_id, day: dayOf(now - days(index + 2)), ok: 51 - fail, fail, ms_sum: 9_000, ms_max: 300 }
    })
    await db.q.insertInto('run_day').values(before).execute()
    const since = now - days(11) - hours(1)
    const closed_at = since + minutes(42)
    const incident = { id: randomUUID(), entry_id, since, opened_at: since, closed_at, cause: 'timeout after 60 s' }
    await db.q.insertInto('incident').values(incident).execute()
  })

test.describe('the run history', () => {
  test.use({ signedInAs: 'ada', timezoneId: 'Europe/Berlin' })

  test('As time passes', async ({ page, instance, holds }) => {
    const id = await instance.entry('/ages', { status: false })
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

    await holds('After one run, its age appears once below the chart.', async () => {
      await expect(clocks(page)).toHaveText(['', '1 run', '1 second ago'])
    })
    await holds('Ages keep updating while the page is visible.', async () => {
      await page.clock.runFor(20_000)
      await expect(line).toContainText('21 seconds ago')
      await page.clock.runFor(120_000)
      await expect(line).toContainText('2 minutes ago')
    })
    await holds('A background tab stops updating ages, and catches up once visible.', async () => {
      await setVisibility(page, 'hidden')
      await page.clock.runFor(180_000)
      await expect(line).toContainText('2 minutes ago')
      await setVisibility(page, 'visible')
      await expect(line).toContainText('5 minutes ago')
    })
    await holds('After two runs, the ages of the first and the last appear at the ends.', async () => {
      const hoursBefore = (count: number) => ({ success: true, timestamp: noon - hours(count), duration: 12 })
      history = [hoursBefore(1.3), hoursBefore(5.3)]
      await page.clock.resume()
      await page.reload()
      await expect(clocks(page)).toHaveText(['5 hours ago', '2 runs', '1 hour ago'])
    })
  })

  for (const tool of entryTools) {
    const { contract } = tool
    test(`${contract.label}${releaseTagOf(tool)}`, async ({ page, instance, holds }) => {
      const { id } = await createEntry(instance, tool, 'history')
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

      await holds('There is one line per run, newest first.', async () => {
        await expect(lines).toHaveCount(2)
      })
      await holds('Each reads SUCCESS or FAIL, the date and time, and the age.', async () => {
        await expect(lines.nth(0)).toHaveText(/^SUCCESS\s*31\/01\/2026 01:00:00 PM\s*1 hour ago/)
        await expect(lines.nth(1)).toHaveText(/^FAIL\s*31\/01\/2026 12:00:00 PM\s*2 hours ago/)
      })
      if (contract.id === 'ghmdinvalidator')
        await holds('Each shows how many cache items were purged.', async () => {
          await expect(lines.nth(0)).toContainText('7 purged')
          await expect(lines.nth(1)).toContainText('2 purged')
        })
      if (isRelay)
        await holds('Ignored events are in the card of the runs, behind a filter, not among the runs.', async () => {
          await card.getByRole('button', { name: 'Ignored' }).click()
          await expect(lines).toHaveText([/^IGNORED/])
        })
      else
        await holds('The card has no controls.', async () => {
          for (const role of ['button', 'textbox', 'link', 'checkbox'] as const)
            await expect(card.getByRole(role)).toHaveCount(0)
        })
    })
  }
})

test.describe('the health of an entry', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 1400, height: 900 } })

  test('the page of an entry shows its name, uptime, days and incidents @release', async ({ page, instance }) => {
    const id = await createFailingEntry(instance, 'Billing API')
    await remember(instance, id)
    await page.goto(`${modify}?id=${id}`)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toHaveText('Billing API')
    await expect(page).toHaveTitle('ToolBox - Billing API')

    const open = page.getByRole('region', { name: 'Open incident' })
    await expect(open).toContainText('1 failed run')
    await expect(open.getByRole('listitem')).toHaveText([
      /^First failureanswered 503/,
      /^Incident opened1 failure/,
      /^Next run/,
    ])
    const note = open.getByLabel('Note for visitors')
    const answer = await delayRequests(page, '**/api/v1/incidents')
    await note.fill('We look into it.')
    await note.press('Enter')
    await note.fill('We look into it. It takes an hour.')
    answer()
    await expect(open.getByRole('button', { name: 'Save note' })).toBeEnabled()
    await expect(note).toHaveValue('We look into it. It takes an hour.')
    // The button is also disabled while the note is being saved.
    let isSaved = false
    const reloaded = page.waitForResponse((response) => {
      const isOfIncidents = response.url().includes('/api/v1/incidents')
      isSaved ||= isOfIncidents && response.request().method() === 'PATCH'
      return isSaved && isOfIncidents && response.request().method() === 'GET'
    })
    await note.press('Enter')
    await reloaded
    await expect(open.getByRole('button', { name: 'Save note' })).toBeDisabled()
    const past = page.getByRole('list', { name: 'Past incidents' }).getByRole('listitem')
    await expect(past).toHaveText([/^timeout after 60 s42 minutes/])
    const uptime = page.getByRole('region', { name: 'Uptime and response time' })
    await expect(uptime.getByRole('definition')).toHaveText(['0%', '1 of 1', '–', '–'])
    await uptime.getByRole('button', { name: '30 d' }).click()
    await expect(uptime.getByRole('definition')).toHaveText([/^9\d\.\d+%$/, /^4 of 1,\d+$/, /ms$/])
    await expect(uptime.getByRole('img', { name: '3 of 51 runs failed' })).toBeVisible()

    await recover(instance, id)
    const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
    await expect(runs).toHaveText([/^SUCCESS.*200 · \d+ ms/, /^FAIL.*answered 503 · \d+ ms/])
    await expect(open).toHaveCount(0)
    await expect(past).toHaveCount(2)

    await page.getByLabel('Name').fill('Shop front')
    await page.getByLabel('Notify after').fill('21')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Use a whole number from 1 to 20.').first()).toBeVisible()
    await page.getByLabel('Notify after').fill('3')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(heading).toHaveText('Shop front')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await expect(dialog).toContainText('Shop front')
    await dialog.getByRole('button', { name: 'No' }).click()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(heading).toHaveText(instance.target.url('/well').replace('http://', ''))
  })

  test('a note for visitors is not lost when the user leaves or the entry recovers', async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 404/)
    const id = await createFailingEntry(instance, 'Noted API')
    await page.goto('/')
    await page.getByRole('link', { name: 'Open Noted API' }).click()
    const note = page.getByLabel('Note for visitors')
    await note.fill('We look into it.')
    await expectLeavePrompts(page, page.getByRole('main').getByRole('link', { name: 'Keep Alive', exact: true }))
    await recover(instance, id)
    await expect(page.getByRole('list', { name: 'Runs' }).getByRole('listitem')).toHaveText([/^SUCCESS/, /^FAIL/])
    await expect(page.getByRole('list', { name: 'Past incidents' }).getByRole('listitem')).toHaveCount(1)
    await expect(note).toHaveValue('We look into it.')
    await note.press('Enter')
    await expect(note).toHaveCount(0)
    const { body } = await instance.call<object[]>('GET', `/api/v1/incidents?id=${id}`)
    expect(body).toMatchObject([{ note: 'We look into it.' }])
  })

  test('a note can be emptied after the entry has recovered', async ({ page, instance }) => {
    const id = await createFailingEntry(instance, 'Emptied API')
    const incidents = () => instance.call<{ id: string; note: string | null }[]>('GET', `/api/v1/incidents?id=${id}`)
    const [incident] = (await incidents()).body
    await instance.call('PATCH', '/api/v1/incidents', { id: incident!.id, note: 'We look into it.' })
    await page.goto(`${modify}?id=${id}`)
    const note = page.getByLabel('Note for visitors')
    const save = page.getByRole('button', { name: 'Save note' })
    await note.fill('We look into it. ')
    await expect(save).toBeDisabled()
    await expect(note).toHaveAccessibleDescription(/16 of 280 characters/)
    await note.fill('x'.repeat(281))
    await expect(note).toHaveValue('x'.repeat(281))
    await expect(page.getByText('281 characters: 1 too many.')).toBeVisible()
    await expect(save).toBeDisabled()
    await note.fill('We look into it. ')
    await recover(instance, id)
    await expect(page.getByRole('region', { name: 'Closed incident' })).toBeVisible()
    await note.fill('We look into it.')
    await note.press('Backspace')
    await expect(save).toBeEnabled()
    await note.fill('')
    await expect(note).toBeFocused()
    await note.press('Enter')
    await expect(note).toHaveCount(0)
    await expect.poll(async () => (await incidents()).body[0]?.note).toBeNull()
  })

  test('a trailing space in a note does not count as an unsaved change', async ({ page, instance }) => {
    const id = await createFailingEntry(instance, 'Spaced API')
    await page.goto(`${modify}?id=${id}`)
    await page.getByLabel('Note for visitors').fill(' ')
    await page.getByRole('main').getByRole('link', { name: 'Keep Alive', exact: true }).click()
    await expect(page).toHaveURL('/tools/keepalive/viewlist')
  })

  test('a note on a closed incident stays apart from the next incident, and its user learns that it is saved', async ({
    page,
    instance,
  }) => {
    const id = await createFailingEntry(instance, 'Twice API')
    const notes = async () => {
      const { body } = await instance.call<{ note: string | null }[]>('GET', `/api/v1/incidents?id=${id}`)
      return body.map(({ note }) => note)
    }
    await page.goto(`${modify}?id=${id}`)
    const [closed, open] = ['Closed incident', 'Open incident'].map((name) => page.getByRole('region', { name }))
    await page.getByLabel('Note for visitors').fill('The first one.')
    await recover(instance, id)
    await expect(closed!).toBeVisible()
    await instance.call('PATCH', '/api/v1/keepalive', { id, url: instance.target.url('/down') })
    const next = open!.getByLabel('Note for visitors')
    await expect(next).toHaveValue('')
    await expect(closed!.getByLabel('Note for visitors')).toBeFocused()
    const titles = page.getByRole('main').getByRole('heading', { level: 2, name: /(Open|Closed) incident/ })
    await expect(titles).toHaveText([/^Open incident/, /^Closed incident\d{2}\/\d{2}\/\d{4} .* · answered 503$/])
    await next.fill('The second one.')
    await closed!.getByRole('button', { name: 'Save note' }).click()
    await expect(toasts(page, 'success', 'Saved the note.')).toBeVisible()
    await expect(closed!).toHaveCount(0)
    await expect(next).toHaveValue('The second one.')
    await next.press('Enter')
    await expect.poll(notes).toEqual(['The second one.', 'The first one.'])
  })
})
