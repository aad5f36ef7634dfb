import { randomUUID } from 'node:crypto'
import type { Page, Route } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { expect, navigate, toasts } from '../../support/page/kit.ts'
import { api, deliverEvent as deliver, log, preview, rows, showKind, test, tool } from '../../support/page/relay.ts'
import { deployEvents } from '../../support/scenes/relay/deploy-events.ts'
import { payloadOf } from '../../support/scenes/relay/example-events.ts'
import { release } from '../../support/scenes/relay/relay.ts'

test.use({ signedInAs: 'ada' })

async function show(page: Page, example: string) {
  await preview(page).getByLabel('Preview of', { exact: true }).click()
  await preview(page).getByLabel('Preview of', { exact: true }).fill(example)
  await page.getByRole('option', { name: example, exact: true }).click()
}

test('a relay shows its last event, and deliveries appear live', async ({ page, context, entry, discord, hook }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await expect(log(page)).toContainText('No deliveries yet')
  await expect(preview(page)).toContainText('No events yet, so this is an example.')
  await deliver(entry, release(101))
  await expect(rows(page)).toHaveText([/SUCCESS.*lantern-api: v101 released.*answered 200/])
  await expect(preview(page)).toContainText('lantern-api: v101 released')
  await expect(preview(page).getByLabel('Preview of', { exact: true })).toHaveValue('Last event')

  await rows(page).getByRole('button', { name: 'lantern-api: v101 released', exact: true }).click()
  await deliver(entry, payloadOf('build-failed', { id: randomUUID() }))
  await expect(rows(page)).toHaveText([/^SUCCESS.*lantern-api: build failed/, /^SUCCESS.*v101 released/])
  const opened = rows(page).nth(1).getByRole('button', { name: 'lantern-api: v101 released', exact: true })
  await expect(opened).toBeFocused()
  await expect(opened).toHaveAttribute('aria-expanded', 'true')
  await expect(rows(page).nth(1)).toHaveText(/Release changed.*1 attempt/)

  const newest = rows(page).first()
  await test.step('a test message is sent and appears as delivered', async () => {
    // The page may still count an event that was delivered a moment ago.
    const readEntry = (url: URL) => url.pathname === api
    const outdate = async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), waiting: 1 } })
    }
    await page.route(readEntry, outdate)
    await page.reload()
    await expect(page.getByRole('region', { name: 'Connection' })).toContainText('1 event waiting for Discord')
    // A request that is still being answered would otherwise continue without its handler.
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Send test' }).click()
    await expect(toasts(page, 'info', 'Test message sent.')).toBeVisible()
    await expect(newest).toHaveText(/SUCCESS.*Test message/)
    expect(discord.postedTitles(hook).at(-1)).toBe('🔌 Test from ToolBox')
    await newest.getByRole('button', { name: 'Test message', exact: true }).click()
    await expect(newest).toContainText('Test messages have no payload')
  })

  await test.step('the payload is shown without secrets and can be copied', async () => {
    await deliver(entry, payloadOf('release-failed', { id: randomUUID() }))
    await newest.getByRole('button', { name: 'lantern-api: v43 failed', exact: true }).click()
    const payload = newest.getByRole('region', { name: 'Payload' })
    await expect(payload).toContainText('"description": "Deploy 8e10b7d4"')
    await expect(payload).toContainText('"output_stream_url": "[hidden]"')
    await expect(payload).not.toContainText('example-release-signature')
    await expect(payload).not.toContainText('ada@lantern.example')
    await newest.getByRole('button', { name: 'Copy payload' }).click()
    await expect(toasts(page, 'info', 'Copied the payload')).toBeVisible()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await payload.textContent())
  })

  await test.step('a delivery is pending while Discord fails, and delivered afterwards', async () => {
    discord.answers(hook, 'hang')
    await deliver(entry, release(102))
    await showKind(page, 'Pending')
    await expect(newest).toHaveText(/PENDING.*not tried yet/)
    await expect(newest.getByRole('button', { name: /^Replay lantern-api: v102 released from / })).toBeDisabled()
    await expect.poll(discord.hanging).toBe(1)
    discord.answers(hook, 'ok')
    discord.resetHanging()
    await showKind(page, 'Runs')
    await expect(newest).toHaveText(/SUCCESS.*answered 200/)
    await newest.getByRole('button', { name: 'lantern-api: v102 released', exact: true }).click()
    await expect(newest).toContainText('2 attempts')
  })
})

test('events that Discord rejects are held and can be replayed @release', async ({ page, entry, discord, hook }) => {
  discord.answers(hook, 'unknown')
  await page.goto(`${tool}/modify?id=${entry.id}`)
  for (const version of [1, 2, 3]) await deliver(entry, release(version))
  const held = /FAIL.*answered 404: Unknown Webhook/
  await expect(rows(page)).toHaveText([held, held, held])
  const replayHeld = page.getByRole('button', { name: /^Replay all held/ })
  await expect(replayHeld).toHaveText('Replay all held (3)')

  discord.answers(hook, 'ok')
  const replayOne = rows(page)
    .nth(1)
    .getByRole('button', { name: /^Replay lantern-api: v2 released from / })
  await replayOne.click()
  await expect(toasts(page, 'success', 'Replaying 1 event.')).toBeVisible()
  await expect(rows(page)).toHaveText([held, /SUCCESS/, held])
  await expect(replayOne).toBeFocused()
  await expect(replayHeld).toHaveText('Replay all held (2)')

  await showKind(page, 'Failed')
  await expect(rows(page)).toHaveText([held, held])
  await replayHeld.click()
  await expect(toasts(page, 'success', 'Replaying 2 events.')).toBeVisible()
  await expect(log(page)).toContainText('No matching events.')
  const nothingHeld = page.getByRole('button', { name: 'Nothing is held' })
  await expect(nothingHeld).toBeFocused()
  await expect(nothingHeld).toBeDisabled()
  await showKind(page, 'Runs')
  await expect(rows(page)).toHaveText([/SUCCESS/, /SUCCESS/, /SUCCESS/])
  await page.getByLabel('Search events').fill('V2 REL')
  await expect(rows(page)).toHaveText([/v2 released/])
  await page.getByLabel('Search events').fill('')
  await expect(rows(page)).toHaveCount(3)
  const ofLastHour = page.waitForResponse('**/deliveries?*since=*')
  await page.getByLabel('Received', { exact: true }).selectOption('Last hour')
  await ofLastHour
  await expect(log(page).getByRole('list', { name: 'Runs' })).toHaveAttribute('aria-busy', 'false')
  await expect(rows(page)).toHaveCount(3)
  await page.getByLabel('Received', { exact: true }).selectOption('Custom…')
  const listRequest = page.waitForRequest((request) => request.url().includes('before='))
  await page.getByLabel('Received before').fill('2020-01-01T00:00')
  // The custom range replaces the earlier choice entirely.
  expect((await listRequest).url()).not.toContain('since=')
  await expect(log(page)).toContainText('No matching events.')
  await page.getByLabel('Received before').fill('')
  await page.getByLabel('Received after').fill('2020-01-01T00:00')
  await expect(rows(page)).toHaveCount(3)
  await page.getByLabel('Received', { exact: true }).selectOption('Any time')
  const titles = [2, 1, 3].map((version) => `🚀 lantern-api: v${version} released`)
  expect(discord.postedTitles(hook)).toEqual(titles)

  await page.getByText('Replay from…').click()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await expect(log(page).getByRole('alert')).toHaveText('Enter a date and time.')
  await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00:00')
  await page.getByRole('button', { name: 'Replay 3', exact: true }).click()
  await expect(toasts(page, 'success', 'Replaying 3 events.')).toBeVisible()
  await expect.poll(() => discord.postedTitles(hook)).toHaveLength(6)
})

test('all states are accessible, and deliveries fit a phone @release', async ({
  page,
  instance,
  entry,
  discord,
  hook,
}) => {
  const long = payloadOf('release-succeeded', { id: randomUUID() })
  const data = { ...Object(long.data), description: `Deploy ${'and-no-space-'.repeat(30)} ${'word '.repeat(200)}` }
  await deliver(entry, { ...long, data })
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await expect(rows(page)).toHaveText([/SUCCESS/])
  discord.answers(hook, 'unknown')
  await deliver(entry, release(201))
  await deliver(entry, { ...long, id: randomUUID(), data })
  const statuses = Array.from({ length: 12 }, (_, index) => `${'a-long-status-'.repeat(2)}${index}`)
  await instance.call('PATCH', api, { id: entry.id, filter: { resources: [], statuses } })
  const leaveOut = () => deliver(entry, payloadOf('addon-attachment-create', { id: randomUUID() }))
  await leaveOut()
  await showKind(page, 'Ignored')
  await expect(rows(page)).toHaveText([/IGNORED.*this event has none/])
  await showKind(page, 'Duplicates')
  await expect(rows(page)).toHaveText([/DUPLICATE/])
  await showKind(page, 'Runs')
  await expect(rows(page)).toHaveText([/FAIL/, /SUCCESS/])
  await rows(page).last().getByRole('button', { name: 'lantern-api: v42 released', exact: true }).click()
  await expect(rows(page).last().getByRole('region', { name: 'Payload' })).toContainText('and-no-space')
  await page.getByText('Replay from…').click()
  await page.getByLabel('Received', { exact: true }).selectOption('Custom…')
  await page.evaluate('document.fonts.ready')
  expect.soft(await accessibilityViolations(page)).toEqual([])

  await Promise.all(Array.from({ length: 50 }, leaveOut))
  // Reload first: new events must not arrive while older ones load.
  await page.reload()
  await showKind(page, 'Ignored')
  const older = page.getByRole('button', { name: 'Show older' })
  await expect(rows(page)).toHaveCount(50 + 1)
  await older.click()
  await expect(older).toHaveCount(0)
  await expect(rows(page)).toHaveCount(51)
  await showKind(page, 'Runs')
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Replay all held (1)' })).toBeEnabled()
  await page.getByText('Replay from…').click()
  await rows(page).last().getByRole('button', { name: 'lantern-api: v42 released', exact: true }).click()
  await expectFitsPhone(page, 'modify')
})

test('the form of a new relay previews its messages', async ({ page }) => {
  await page.clock.install({ time: new Date(2026, 10, 21, 15, 4, 5) })
  await page.goto(`${tool}/create`)
  await test.step('the preview shows the current time', async () => {
    await expect(preview(page).getByRole('time').first()).toHaveText(/^3:0\d/)
    await page.clock.fastForward('10:00')
    await expect(preview(page).getByRole('time').first()).toHaveText(/^3:1\d/)
  })
  await expect(preview(page)).toContainText('lantern-api: build started')
  await expect(preview(page)).toContainText('This event will be posted.')

  await show(page, 'Dyno crashed')
  await expect(preview(page).getByRole('link', { name: 'lantern-api: web.1 crashed' })).toHaveAttribute(
    'href',
    'https://dashboard.heroku.com/apps/lantern-api',
  )
  await page.getByText('Deploys', { exact: true }).click()
  await expect(preview(page)).toContainText('This event will be filtered out: the filter only allows deploys.')
  await page.getByText('Deploys and crashes', { exact: true }).click()
  await expect(preview(page)).toContainText('This event will be posted.')

  await expect(preview(page)).not.toContainText('@role')
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByLabel('Role to mention on failures').fill('1234567890')
  await expect(preview(page)).toContainText('Fix the errors above to see the preview.')
  await page.getByLabel('Role to mention on failures').fill('123456789012345678')
  await expect(preview(page)).toContainText('@role')

  await show(page, 'Build failed')
  await expect(preview(page)).toContainText('lantern-api: build failed')
  await expect(preview(page)).not.toContainText('ada@lantern.example')
  await page.getByRole('switch', { name: "Show author's email" }).click()
  await expect(preview(page)).toContainText('ada@lantern.example')
})

test('a relay can post each deploy as one edited card @release', async ({ page, entry, discord, hook }) => {
  await page.goto(`${tool}/create`)
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByRole('switch', { name: 'One message per deploy' }).check()
  await expect(preview(page)).toContainText('This event edits the card of its deploy.')
  await expect(preview(page)).toContainText('(edited)')
  expect.soft(await accessibilityViolations(page)).toEqual([])
  await expect(preview(page)).toContainText('v42 ✅ 42 s')
  await show(page, 'Build started')
  await expect(preview(page)).toContainText('This event begins the card of its deploy.')
  await expect(preview(page)).not.toContainText('(edited)')
  await show(page, 'Build failed')
  await expect(preview(page)).toContainText('is also posted like this, since edits notify nobody')
  await page.getByRole('button', { name: 'Reset' }).click()

  await navigate(page, `${tool}/modify?id=${entry.id}`)
  await test.step('the preview states that an inactive relay filters out its messages', async () => {
    await expect(preview(page)).toContainText('This event will be posted.')
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    await expect(preview(page)).toContainText('This event will be filtered out: the entry is inactive.')
    await page.getByRole('switch', { name: 'Active' }).check()
  })
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByRole('switch', { name: 'One message per deploy' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  const deploy = deployEvents()
  for (const event of [deploy.buildPending, deploy.buildSucceeded, deploy.releaseSucceeded]) await deliver(entry, event)
  await expect(rows(page)).toHaveText([/SUCCESS.*card edited/, /SUCCESS.*card edited/, /SUCCESS.*answered 200/])
  await expect(preview(page)).toContainText('v42 ✅ 42 s')
  expect(discord.currentMessages(hook).map(({ edits }) => edits)).toEqual([2])
})
