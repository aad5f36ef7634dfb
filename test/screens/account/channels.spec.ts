import type { Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { cellOf, delayRequests, expect, test, toasts } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada', allowedConsoleErrors: [/status of 400/] })

const screen = '/user/channels'
const longName = 'On call the-team-that-keeps-the-shop-running@example.com'
const dialog = (page: Page) => page.getByRole('dialog')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' })

test('a channel can be created, tested, switched off, edited and deleted', async ({ page, instance, context }) => {
  const other = await context.newPage()
  await other.goto(screen)
  await page.goto('/user')
  await page.getByRole('navigation', { name: 'Your account' }).getByRole('link', { name: 'Channels' }).click()
  await expect(page).toHaveTitle('ToolBox - Channels')
  await expect(page.getByText('No channels yet.')).toBeVisible()
  await button(page, 'New channel').click()
  const name = dialog(page).getByLabel('Name (optional)')
  await name.fill('Half typed')
  const question = page.waitForEvent('dialog')
  await page.evaluate('history.back()')
  await (await question).dismiss()
  await expect(name).toHaveValue('Half typed')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  // After closing the dialog, going back isn't blocked.
  await page.goBack()
  await expect(page).toHaveURL('/user')
  await page.goForward()
  await button(page, 'Fill in an example').click()
  await dialog(page).getByText('Webhook', { exact: true }).click()
  await expect(save(page)).toBeInViewport({ ratio: 1 })
  await dialog(page).getByLabel('URL', { exact: true }).fill('nonsense')
  await dialog(page).getByLabel('Name (optional)').fill(longName)
  await dialog(page).getByText('By tool').click()
  await save(page).click()
  await expect(dialog(page).getByRole('alert')).toHaveText('Choose at least one tool.')
  await dialog(page).getByLabel('Keep Alive').check()
  await dialog(page).getByLabel('A relay is blocked').uncheck()
  await dialog(page).getByLabel('Quiet hours').click()
  await dialog(page).getByLabel('Sun').uncheck()
  await dialog(page).getByLabel('Reminders').click()
  await save(page).click()
  await expect(dialog(page).getByLabel('URL', { exact: true })).toHaveAccessibleDescription(/Enter a full URL/)
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog(page).getByText('Slack', { exact: true }).click()
  await expect(dialog(page).getByText('Enter a full URL')).toHaveCount(0)
  await dialog(page).getByText('Webhook', { exact: true }).click()
  await dialog(page).getByLabel('URL', { exact: true }).fill(instance.target.url('/down/hook'))
  await name.fill('On')
  // Typed while the channel is being created, the name becomes an edit of it.
  const answer = await delayRequests(page, '**/user/channels')
  await page.keyboard.press('Control+s')
  await expect(save(page)).toBeDisabled()
  await name.fill(longName)
  await name.press('Enter')
  answer()

  // The list already contains the channel, so it no longer offers an example.
  await expect(page.locator('tr', { hasText: 'On call' })).toBeAttached()
  await expect(dialog(page).getByRole('heading', { name: 'Channel saved' })).toBeVisible()
  await expect(dialog(page)).toContainText(/whsec_[\w+/]{43}=/)
  await dialog(page).getByRole('button', { name: 'Send a test' }).click()
  await expect(toasts(page, 'info', 'Sending a test message.')).toBeVisible()
  await expect(dialog(page)).toContainText(/whsec_/)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  for (const one of [page, other]) await expect(cellOf(row(one, 'On call'), 'Last message')).toContainText('503')
  await expect(cellOf(row(page, 'On call'), 'Sends')).toHaveText(
    'Failures, recoveries of Keep Alive · quiet 22:00–07:00 · reminder every 24 h',
  )
  expect(await accessibilityViolations(page)).toEqual([])
  for (const [tool, words] of [
    ['keepalive', `Notified: ${longName}`],
    ['ghmdinvalidator', 'Notified: Your inbox only. Add a channel'],
  ] as const) {
    await other.goto(`/tools/${tool}/create`)
    await expect(other.getByLabel('Notify after')).toHaveAccessibleDescription(new RegExp(`${words}$`))
    await expectFitsPhone(other, tool)
  }
  await other.goto(screen)
  await page.getByRole('switch', { name: 'Send to On call' }).click()
  for (const one of [page, other]) await expect(row(one, 'On call').getByText('Off')).toBeVisible()

  await button(page, 'Edit On call').click()
  await expect(dialog(page).getByLabel('Signing secret (optional)')).toHaveValue(/^whsec_••••/)
  await expect(dialog(page).getByLabel('Sun')).not.toBeChecked()
  await dialog(page).getByLabel('URL', { exact: true }).fill(instance.target.url('/hook'))
  await dialog(page).getByText('All', { exact: true }).click()
  await save(page).click()
  await expect(dialog(page).getByRole('heading', { name: 'Channel saved' })).toBeVisible()
  await expect(dialog(page)).not.toContainText('whsec_')
  await dialog(page).getByRole('button', { name: 'Send a test' }).click()
  await expect.poll(() => instance.target.visits('/hook')).toBe(1)
  await expect(cellOf(row(page, 'On call'), 'Last message')).toHaveText(/^Delivered ✓ /)
  await expect(cellOf(row(page, 'On call'), 'Sends')).toContainText(/^Failures, recoveries · quiet/)
  await button(page, 'Delete On call').click()
  await expect(dialog(page)).toContainText('Are you sure you want to delete this channel?')
  // The deletion may arrive over the live stream before the response does.
  await page.route(/channels\?id=/, async (route) => {
    const response = await route.fetch()
    await expect(page.getByText('No channels yet.')).toBeVisible()
    await route.fulfill({ response })
  })
  await button(page, 'Yes, Nuke it').click()
  await expect(toasts(page, 'success', `Deleted the channel ${longName}.`)).toBeVisible()
  for (const one of [page, other]) await expect(one.getByText('No channels yet.')).toBeVisible()
  await expectFitsPhone(page, screen)
})

test('the dialog of a new channel stays open until it has shown the secret', async ({ page, instance }) => {
  await page.goto(screen)
  await button(page, 'New channel').click()
  await dialog(page).getByText('Webhook', { exact: true }).click()
  await dialog(page).getByLabel('URL', { exact: true }).fill(instance.target.url('/stays-open'))
  const answer = await delayRequests(page, '**/user/channels')
  const sent = page.waitForRequest('**/user/channels')
  await save(page).click()
  await sent
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  answer()
  await expect(dialog(page)).toContainText(/whsec_/)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(dialog(page)).toHaveCount(0)
})

test('saving an edited channel keeps what another tab has changed meanwhile @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  const path = '/api/v1/user/channels'
  const own = { name: 'On call', type: 'webhook', settings: { url: instance.target.url('/first') } }
  const { id } = (await instance.call<{ id: string }>('POST', path, own)).body
  const kept = async () => (await instance.call<object[]>('GET', path)).body
  await page.goto(screen)
  await button(page, 'Edit On call').click()
  await test.step('the open dialog shows the change', async () => {
    await dialog(page).getByLabel('Name (optional)').fill('Mine')
    await instance.call('PATCH', path, { id, events: ['failing'] })
    await expect(dialog(page).getByLabel('An entry has recovered')).not.toBeChecked()
    await expect(dialog(page).getByLabel('Name (optional)')).toHaveValue('Mine')
  })
  await test.step('a change that has not reached the page yet is kept, too', async () => {
    const letGo = await delayRequests(page, `**${path}`)
    await instance.call('PATCH', path, { id, remindEvery: 6, settings: { url: instance.target.url('/second') } })
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
    await save(page).click()
    letGo()
    expect((await saved).status()).toBe(200)
  })
  expect(await kept()).toMatchObject([
    { name: 'Mine', events: ['failing'], remindEvery: 6, settings: { url: expect.stringMatching(/cond$/) } },
  ])
  await test.step('the dialog of a channel deleted in another tab stays, and saving says why it fails', async () => {
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await button(page, 'Edit Mine').click()
    await dialog(page).getByLabel('Name (optional)').fill('Half typed')
    await instance.call('DELETE', `${path}?id=${id}`)
    await expect(page.getByText('No channels yet.')).toBeAttached()
    await expect(dialog(page).getByLabel('Name (optional)')).toHaveValue('Half typed')
    await save(page).click()
    await expect(toasts(page, 'danger', 'Channel not found.')).toBeVisible()
    await expect(dialog(page).getByLabel('Name (optional)')).toHaveValue('Half typed')
  })
})

test('Slack, Telegram and email have their own fields and errors @release', async ({ page, instance }) => {
  // No mail server is configured, so add the email type by hand.
  const to = { type: 'string', title: 'Address', description: "We'll send a link to confirm it.", format: 'email' }
  const email = { id: 'email', label: 'Email', fields: { type: 'object', properties: { to }, required: ['to'] } }
  await page.route('**/channels/types', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: [email, ...(await answer.json())] })
  })
  const field = (label: string) => dialog(page).getByLabel(label, { exact: true })
  const done = async () => {
    await save(page).click()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
  }
  const newEntry = { url: instance.target.url('/chosen'), name: 'Chosen one' }
  const { body: chosen } = await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', newEntry)
  await page.goto(screen)
  await test.step('entries can be selected by name', async () => {
    await button(page, 'New channel').click()
    await dialog(page).getByText('ntfy', { exact: true }).click()
    await dialog(page).getByLabel('Topic URL').fill(instance.target.url('/topic'))
    await dialog(page).getByText('By name').click()
    const choose = dialog(page).getByLabel('Choose entries', { exact: true })
    await choose.click()
    await expect(page.getByRole('option', { name: 'Chosen one' })).toBeVisible()
    const searchRequest = page.waitForRequest((request) => request.url().includes('/api/v1/search?text=chosen'))
    await choose.fill('chosen')
    expect(new URL((await searchRequest).url()).search).toBe('?text=chosen&mine=true')
    await page.getByRole('option', { name: 'Chosen one' }).click()
    await page.keyboard.press('Tab')
    await save(page).click()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await expect(cellOf(row(page, 'ntfy'), 'Sends')).toHaveText('Failures, recoveries, blocked relays of 1 entry')
    const { body: listed } = await instance.call<{ id: string; entries: string[] }[]>('GET', '/api/v1/user/channels')
    expect(listed.map(({ entries }) => entries)).toEqual([[chosen.id]])
  })

  await button(page, 'New channel').click()
  await dialog(page).getByText('Slack', { exact: true }).click()
  await field('Webhook URL').fill('nonsense')
  await save(page).click()
  await expect(field('Webhook URL')).toHaveAccessibleDescription(/Enter a full URL|incoming webhook/)
  await field('Webhook URL').fill(instance.target.url('/slack'))
  await field('Name (optional)').fill('Team')
  await done()
  await expect(cellOf(row(page, 'Team'), 'Kind')).toHaveText('Slack')

  await button(page, 'New channel').click()
  await dialog(page).getByText('Telegram', { exact: true }).click()
  await field('Bot token').fill('token')
  await field('Chat ID').fill('#ops')
  await save(page).click()
  await expect(field('Bot token')).toHaveAccessibleDescription(/as BotFather shows it/)
  await expect(field('Chat ID')).toHaveAccessibleDescription(/Enter a chat ID, or the @name/)
  await field('Bot token').fill('123456:ABC-DEF')
  await field('Chat ID').fill('@ops')
  await done()
  await expect(cellOf(row(page, '@ops'), 'Kind')).toHaveText('Telegram')
  await button(page, 'Edit @ops').click()
  await expect(field('Bot token')).toHaveValue('••••-DEF')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  const { body: channels } = await instance.call<{ id: string }[]>('GET', '/api/v1/user/channels')
  const sent = { settings: { to: 'ada@home.example' }, confirmed: false }
  await page.route('**/user/channels', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ json: { ...channels[0], ...sent } }) : route.continue(),
  )
  await button(page, 'New channel').click()
  await expect(field('Address')).toHaveAccessibleDescription("We'll send a link to confirm it.")
  expect(await accessibilityViolations(page)).toEqual([])
  await field('Address').fill('ada@home.example')
  await save(page).click()
  await expect(dialog(page)).toContainText("We've mailed a link to ada@home.example. Messages start once you open it.")
  await expect(dialog(page).getByRole('button', { name: 'Send a test' })).toHaveCount(0)
})

test.describe('the link in an email', () => {
  test.use({ signedInAs: undefined, allowedConsoleErrors: [/status of 403/] })
  test('confirms an address after a click, even when signed out @release', async ({ page }) => {
    await page.goto('/user/confirm-email')
    await expect(page.getByText('Part of the link is missing.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Go to channels' })).toBeVisible()
    await page.goto('/user/confirm-email#wrong')
    await page.reload()
    await button(page, 'Confirm').click()
    await expect(toasts(page, 'danger', /link/)).toBeVisible()
    await page.route('**/channels/confirm', (route) => route.fulfill({ json: { to: 'ada@example.com' } }))
    await button(page, 'Confirm').click()
    await expect(page.getByText("We'll now send messages to ada@example.com.")).toBeVisible()
    expect(await accessibilityViolations(page)).toEqual([])
  })
})
