import { accessibilityViolations, expectUsable } from '../../support/page/accessibility.ts'
import { expect, navigate, toasts } from '../../support/page/kit.ts'
import {
  api,
  createRelay,
  deliver,
  field,
  idOf,
  read,
  region,
  save,
  test,
  tool,
  unfold,
} from '../../support/page/relay.ts'

test.use({ signedInAs: 'ada' })

test('a new relay shows endpoint and command, and connects on first delivery', async ({
  page,
  instance,
  hook,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  await page.goto(`${tool}/create`)
  await field(page, 'Discord Webhook URL').fill(hook.url.replace('discord.com', 'canary.discord.com'))
  await page.getByText('Deploys', { exact: true }).click()
  await save(page)
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).toHaveURL(/\/modify\?id=[\w-]{36}$/)
  const entry = await read(instance, idOf(page))
  expect(entry.discordHook).toBe(hook.url)
  await expect(field(page, 'Discord Webhook URL')).toHaveValue(hook.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Relay, created \d\d\//)
  await page.getByRole('button', { name: 'Signing secret' }).click()
  await expect(field(page, 'Secret')).toHaveValue(entry.secret)

  const reach = region(page, 'Connect Heroku')
  await expect(reach.getByText(entry.herokuEndpoint, { exact: true })).toBeVisible()
  await reach.getByLabel('Heroku app').fill('Lantern API')
  const command = `heroku webhooks:add -a lanternapi -i api:release,api:build -l sync -s ${entry.secret} -u ${entry.herokuEndpoint}`
  await expect(reach.getByText(command, { exact: true })).toBeVisible()

  const state = region(page, 'Connection')
  await expect(state).toContainText('Waiting for the first delivery')
  expect(await deliver(entry, 7)).toBe(204)
  await expect(state).toContainText('Connected since')
  await expect(state).toContainText('Last message to Discord')
  await expect(reach.getByLabel('Heroku app')).toHaveValue('lanternapi')
  await page.reload()
  await expect(state).toContainText('Connected since')
  // Once connected, the instructions are folded.
  await expect(reach).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('lantern-api')
  await page.getByRole('button', { name: 'Heroku command and endpoint' }).click()
  await expect(reach.getByLabel('Heroku app')).toHaveValue('lantern-api')
  expect(instance.discord.postedTitles(hook)).toEqual([expect.stringContaining('v7 released')])
})

test('the list masks webhooks, and a pasted full URL finds its relay @release', async ({ page, instance }) => {
  const [one, other] = [instance.discord.webhook(), instance.discord.webhook()]
  const entries = [await createRelay(instance, one), await createRelay(instance, other, { status: false })]
  await page.goto(`${tool}/viewlist`)
  const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })
  await expect(rows).toHaveCount(2)
  await expect(rows.getByRole('link', { name: 'Waiting for first delivery', exact: true })).toHaveCount(2)
  await expect(rows.getByRole('link', { name: 'Connect Heroku' })).toHaveAttribute('href', new RegExp(entries[0]!.id))
  const heads = page.locator('thead th span')
  const areWhole = () => heads.evaluateAll((texts) => texts.every((text) => text.scrollWidth <= text.clientWidth))
  // The headers may be wider in the fallback font.
  await expect.poll(areWhole).toBe(true)
  const mask = `https://discord.com/api/webhooks/${one.id.slice(0, 4)}…/••••${one.token.slice(-4)}`
  await expect(rows.filter({ hasText: mask })).toHaveCount(1)
  await expect(page.getByText(one.token)).toHaveCount(0)
  await page.getByLabel('Search Discord Webhook URL').fill(one.url)
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText(mask)
  await page.getByLabel('Search Discord Webhook URL').fill('')
  await expect(rows).toHaveCount(2)
  await page.getByLabel('Search Heroku Webhook Endpoint').fill(entries[1]!.herokuEndpoint.slice(-12))
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('Inactive')
})

test('endpoint, command and secret can be copied without showing the secret', async ({
  page,
  instance,
  context,
  entry,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${tool}/modify?id=${entry.id}`)
  const clipboard = () => page.evaluate('navigator.clipboard.readText()')
  await page.getByRole('button', { name: 'Copy Endpoint' }).click()
  await expect.poll(clipboard).toBe(entry.herokuEndpoint)
  await expect(page.getByText(`••••${entry.secret.slice(-4)}`)).toBeVisible()
  await unfold(page, 'Signing secret')
  await expect(field(page, 'Secret')).toHaveCSS('-webkit-text-security', 'disc')
  await page.getByRole('button', { name: 'Copy Secret' }).click()
  await expect.poll(clipboard).toBe(entry.secret)
  await expect(toasts(page, 'info', 'Copied the secret')).toBeVisible()
  await page.getByRole('button', { name: 'Copy Command' }).click()
  await expect.poll(clipboard).toContain(`-s ${entry.secret} -u ${entry.herokuEndpoint}`)
  await expect(toasts(page, 'info', 'Copied the command')).toBeVisible()
  await expect(toasts(page).filter({ hasText: entry.secret })).toHaveCount(0)

  await test.step('a new secret appears immediately, also in the command; the old one is valid for a day', async () => {
    await page.getByRole('button', { name: 'New secret', exact: true }).click()
    await expect(page.getByText('The old secret is valid until')).toBeVisible()
    const { secret } = await read(instance, entry.id)
    expect(secret).not.toBe(entry.secret)
    await expect(field(page, 'Secret')).toHaveValue(secret)
    await expect(region(page, 'Connect Heroku')).toContainText(`-s ${secret} `)
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    expect(await deliver(entry, 1)).toBe(204)
    expect(await deliver({ ...entry, secret }, 2)).toBe(204)
  })

  await test.step('another new secret within that day revokes the old one, after a warning', async () => {
    await expect(page.getByText('Generating another one revokes it immediately.')).toBeVisible()
    // The button is replaced, so a double click cannot generate another secret.
    await expect(page.getByRole('button', { name: /^New secret/ })).toHaveCount(0)
    await page.reload()
    await unfold(page, 'Signing secret')
    await expect(page.getByText('The old secret is valid until')).toBeVisible()
    await expect(page.getByText('Only this one stays valid for another 24 hours')).toBeVisible()
    await page.getByRole('button', { name: 'New secret, revoke the old one now' }).click()
    await expect.poll(() => deliver(entry, 3)).toBe(401)
  })
})

test('turning off signature checks warns that anyone can post @release', async ({ page, instance, entry }) => {
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await unfold(page, 'Signing secret')
  const checkSignatures = page.getByRole('switch', { name: 'Check signatures' })
  await field(page, 'Secret').fill('typed but not yet saved')
  await checkSignatures.uncheck()
  await checkSignatures.check()
  await expect(field(page, 'Secret')).toHaveValue('typed but not yet saved')
  await field(page, 'Secret').fill(entry.secret)
  await checkSignatures.uncheck()
  await expect(page.getByText('anyone who knows the endpoint can post to your channel')).toBeVisible()
  await expect(page.getByText('Saving deletes the secret.')).toBeVisible()
  await expect(field(page, 'Secret')).toHaveCount(0)
  await save(page)
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await expect(region(page, 'Connect Heroku')).not.toContainText(entry.secret)
  expect((await read(instance, entry.id)).secret).toBeNull()

  await checkSignatures.check()
  await expect(field(page, 'Secret')).not.toHaveValue(entry.secret)
  await expect(field(page, 'Secret')).toHaveValue(/^[\da-f]{64}$/)
  await expect(page.getByText('New secret: save it, then set it in Heroku')).toBeVisible()
  await save(page)
  await expect(region(page, 'Connect Heroku')).toContainText(await field(page, 'Secret').inputValue())

  await test.step('a preset can be turned into custom resources and statuses, and these are saved', async () => {
    await page.getByText('Deploys and crashes', { exact: true }).click()
    await page.getByText('Custom', { exact: true }).click()
    await page.getByRole('button', { name: 'Remove api:build' }).click()
    await field(page, 'Resources').fill('addon')
    await page.getByRole('option', { name: 'api:addon', exact: true }).click()
    await page.keyboard.press('Escape')
    await unfold(page, 'Message options')
    await field(page, 'Role to mention on failures').fill('<@&123456789012345678>')
    await field(page, 'Thread').fill('223456789012345678')
    await page.getByRole('switch', { name: "Show author's email" }).check()
    await save(page)
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    expect(await read(instance, entry.id)).toMatchObject({
      filter: { resources: ['api:release', 'dyno', 'api:addon'], statuses: ['succeeded', 'failed', 'crashed'] },
      mentionRole: '123456789012345678',
      threadId: '223456789012345678',
      showActor: true,
    })
    await expect(region(page, 'Connect Heroku')).toContainText('-i api:release,dyno,api:addon -l sync')
    await page.reload()
    await expect(page.getByRole('radio', { name: 'Custom' })).toBeChecked()
    await page.getByText('Everything', { exact: true }).click()
    await page.getByText('Custom', { exact: true }).click()
    await expect(page.getByRole('button', { name: 'Remove dyno', exact: true })).toBeVisible()
  })
})

test('a custom filter and a typed secret survive being turned off and on, until a reset', async ({ page }) => {
  await page.goto(`${tool}/create`)
  const [everything, deploys, custom] = ['Everything', 'Deploys', 'Custom'].map((name) =>
    page.getByText(name, { exact: true }),
  )
  const removeDyno = page.getByRole('button', { name: 'Remove dyno', exact: true })
  const checkSignatures = page.getByRole('switch', { name: 'Check signatures' })
  await custom!.click()
  await field(page, 'Resources').fill('dyno')
  await page.getByRole('option', { name: 'dyno', exact: true }).click()
  await page.keyboard.press('Escape')
  await unfold(page, 'Signing secret')
  await field(page, 'Secret').fill('a secret of my own')
  await everything!.click()
  await deploys!.click()
  await custom!.click()
  await expect(removeDyno).toBeVisible()
  await checkSignatures.uncheck()
  await checkSignatures.check()
  await expect(field(page, 'Secret')).toHaveValue('a secret of my own')
  await everything!.click()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await custom!.click()
  await expect(field(page, 'Resources')).toBeVisible()
  await expect(removeDyno).toHaveCount(0)
})

test('an invalid URL, webhook or role shows an error at its field @release', async ({
  page,
  discord,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  const deleted = discord.webhook()
  discord.remove(deleted)
  await page.goto(`${tool}/create`)
  const alert = region(page, 'Entry').getByRole('alert')
  await field(page, 'Discord Webhook URL').fill('https://example.com/api/webhooks/1/2')
  await unfold(page, 'Message options')
  await field(page, 'Role to mention on failures').fill('everybody')
  await save(page)
  await expect(alert).toHaveText([/^Enter a Discord webhook URL/, /^Enter a role ID/])
  await field(page, 'Discord Webhook URL').fill('https://discord.com/channels/123456789012345678/223456789012345678')
  await save(page)
  await expect(alert.first()).toHaveText(/^This is a link to a channel/)
  await field(page, 'Role to mention on failures').fill('')
  await field(page, 'Discord Webhook URL').fill(deleted.url)
  await save(page)
  await expect(alert).toHaveText([/^Discord doesn't know this webhook/])
  await expect(page).toHaveURL(`${tool}/create`)

  await test.step('a webhook that cannot be checked with Discord is saved with a warning', async () => {
    const hook = discord.webhook()
    discord.silence(hook)
    await field(page, 'Discord Webhook URL').fill(hook.url)
    await save(page)
    await expect(toasts(page, 'warning', "Saved, but we couldn't check this webhook with Discord")).toBeVisible()
    await expect(page).toHaveURL(/\/modify\?id=/)
  })
})

test('a webhook deleted at Discord is reported and can be replaced @release', async ({
  page,
  instance,
  discord,
  hook: old,
  entry,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  const [deleted, fresh] = [discord.webhook(), discord.webhook()]
  discord.remove(deleted)
  await page.goto(`${tool}/modify?id=${entry.id}`)
  const state = region(page, 'Connection')
  await expect(state).toContainText('No messages sent to Discord yet')
  await expect(state).toContainText('Waiting for the first delivery')
  const forged = { ...entry, secret: 'of somebody else' }
  await test.step('deliveries signed with another secret are rejected and reported immediately', async () => {
    for (const version of [1, 2, 3]) expect(await deliver(forged, version)).toBe(401)
    await expect(state).toContainText('3 deliveries rejected: wrong secret')
    await expect(state).toContainText("Set this entry's secret in Heroku")
    await expect(state).toContainText('Waiting for the first delivery')
  })
  await instance.forgetInboxGroups()
  discord.remove(old)
  for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
  // Check the toast first, since it disappears on its own.
  await expect(toasts(page, 'danger', 'is blocked (answered 404')).toBeVisible()
  await expect(state).toContainText('Connected since')
  await expect(state).not.toContainText('wrong secret')
  await expect(state).toContainText('Discord has rejected this webhook since')
  await expect(state).toContainText('Discord answered 404: Unknown Webhook.')
  await expect(region(page, 'Entry').getByRole('alert')).toContainText('Rejected by Discord')
  await expect(page.getByRole('button', { name: 'Replay all held (2)' })).toBeVisible()
  expect(await deliver(forged, 3)).toBe(401)
  await expect(state).toContainText('1 delivery rejected: wrong secret')
  await expectUsable(page, 'trouble')

  await state.getByRole('button', { name: 'Replace URL and replay held events' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace webhook' })
  await expect(dialog).toBeVisible()
  expect.soft(await accessibilityViolations(page), 'dialog').toEqual([])
  await dialog.getByLabel('New Discord Webhook URL').fill(deleted.url)
  await dialog.getByRole('button', { name: 'Replace and replay' }).click()
  await expect(dialog.getByRole('alert')).toContainText("Discord doesn't know this webhook")
  await dialog.getByLabel('New Discord Webhook URL').fill(fresh.url)
  // Another tab may replace it first, which must not close this dialog.
  await instance.call('PATCH', api, { id: entry.id, discordHook: fresh.url })
  await expect(page.getByText('Discord has rejected this webhook')).toHaveCount(0)
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success', 'Webhook URL replaced. Replaying 2 events.')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(state).toContainText('Last message to Discord')
  await expect(state).not.toContainText('Discord has rejected this webhook')
  await expect(toasts(page, 'danger', 'is blocked')).toHaveCount(0)
  await expect(field(page, 'Discord Webhook URL')).toHaveValue(fresh.url)
  await expect
    .poll(() => discord.postedTitles(fresh))
    .toEqual([expect.stringContaining('v1 released'), expect.stringContaining('v2 released')])
})

test('the connection and the list show that events wait for Discord, and until when', async ({
  page,
  discord,
  hook,
  entry,
}) => {
  await page.goto(`${tool}/modify?id=${entry.id}`)
  const state = region(page, 'Connection')
  await expect(state).toContainText('Nothing waiting')
  discord.answers(hook, { limited: { retryAfter: 3_600 } })
  for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
  await expect(state).toContainText('2 events waiting for Discord')
  await expect(state).not.toContainText('Nothing waiting')
  await expect(state).toContainText("Messages aren't reaching Discord")
  await expect(state).toContainText('answered 429: You are being rate limited.')
  await expect(state).toContainText(/Next attempt in (1 hour|\d+ minutes)\./)
  await page.getByRole('button', { name: 'Send test' }).click()
  const queued = 'Test message queued. 2 events waiting for Discord will be sent first.'
  await expect(toasts(page, 'info', queued)).toBeVisible()
  await navigate(page, `${tool}/viewlist`)
  await expect(page.getByRole('row').filter({ hasText: entry.id })).toContainText('New · 3 events waiting')
})

test('held events are still counted after the form replaces the webhook @release', async ({
  page,
  discord,
  hook,
  entry,
}) => {
  const fresh = discord.webhook()
  await page.goto(`${tool}/modify?id=${entry.id}`)
  discord.answers(hook, 'unknown')
  for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
  await expect(page.getByRole('button', { name: 'Replay all held (2)' })).toBeEnabled()
  await field(page, 'Discord Webhook URL').fill(fresh.url)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  const state = region(page, 'Connection')
  await expect(state).toContainText('2 events waiting to be replayed')
  await page.getByRole('button', { name: 'Replay all held (2)' }).click()
  await expect(state).toContainText('Last message to Discord')
  await expect(page.getByRole('button', { name: 'Nothing is held' })).toBeDisabled()
  await page.getByLabel('Search events').focus()
  await expect(page.getByRole('button', { name: /held/ })).toHaveCount(0)
  await expect.poll(() => discord.postedTitles(fresh)).toHaveLength(2)
})
