import { expect, test, toasts } from '../../../support/page/kit.ts'
import { deliver, field, idOf, read, region, remove, save, saved, tool, unfold } from '../../../support/page/relay.ts'

test.use({ visitor: 'ada' })

test('the endpoint and the command are copied, the secret without being shown again', async ({
  page,
  house,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const entry = await saved(house, house.discord.webhook())
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

  await test.step('a new one is shown at once, also in the command, and the one before counts for a day', async () => {
    await page.getByRole('button', { name: 'New secret', exact: true }).click()
    await expect(page.getByText('The old secret is valid until')).toBeVisible()
    const { secret } = await read(house, entry.id)
    expect(secret).not.toBe(entry.secret)
    await expect(field(page, 'Secret')).toHaveValue(secret)
    await expect(region(page, 'Connect Heroku')).toContainText(`-s ${secret} `)
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    expect(await deliver(entry, 1)).toBe(204)
    expect(await deliver({ ...entry, secret }, 2)).toBe(204)
  })

  await test.step('another one within the day ends the older one, which is said before', async () => {
    await expect(page.getByText('Generating another one revokes it immediately.')).toBeVisible()
    // A second click finds nothing to make another with.
    await expect(page.getByRole('button', { name: /^New secret/ })).toHaveCount(0)
    await page.reload()
    await unfold(page, 'Signing secret')
    await expect(page.getByText('The old secret is valid until')).toBeVisible()
    await expect(page.getByText('Only this one stays valid for another 24 hours')).toBeVisible()
    await page.getByRole('button', { name: 'New secret, revoke the old one now' }).click()
    await expect.poll(() => deliver(entry, 3)).toBe(401)
  })
  await remove(page, house, entry.id)
})

test('without signatures everybody may post, which the switch says @release', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await unfold(page, 'Signing secret')
  await page.getByRole('switch', { name: 'Check signatures' }).uncheck()
  await expect(page.getByText('anyone who knows the endpoint can post to your channel')).toBeVisible()
  await expect(page.getByText('Saving deletes the secret.')).toBeVisible()
  await expect(field(page, 'Secret')).toHaveCount(0)
  await save(page)
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await expect(region(page, 'Connect Heroku')).not.toContainText(entry.secret)
  expect((await read(house, entry.id)).secret).toBeNull()

  await page.getByRole('switch', { name: 'Check signatures' }).check()
  await expect(field(page, 'Secret')).toHaveValue(/^[\da-f]{64}$/)
  await expect(page.getByText('New secret: save it, then set it in Heroku')).toBeVisible()
  await save(page)
  await expect(region(page, 'Connect Heroku')).toContainText(await field(page, 'Secret').inputValue())

  await test.step('lists of resources and statuses are one click from a preset, and kept', async () => {
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
    expect(await read(house, entry.id)).toMatchObject({
      filter: { resources: ['api:release', 'dyno', 'api:addon'], statuses: ['succeeded', 'failed', 'crashed'] },
      mentionRole: '123456789012345678',
      threadId: '223456789012345678',
      showActor: true,
    })
    await expect(region(page, 'Connect Heroku')).toContainText('-i api:release,dyno,api:addon -l sync')
    await page.reload()
    await expect(page.getByRole('radio', { name: 'Custom' })).toBeChecked()
  })
  await remove(page, house, entry.id)
})

test.describe('what cannot be', () => {
  test.use({ provoked: [/status of 400/] })
  test('is said beside its field: another address, a webhook that is gone, and no role @release', async ({
    page,
    house,
  }) => {
    const gone = house.discord.webhook()
    house.discord.remove(gone)
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
    await field(page, 'Discord Webhook URL').fill(gone.url)
    await save(page)
    await expect(alert).toHaveText([/^Discord doesn't know this webhook/])
    await expect(page).toHaveURL(`${tool}/create`)

    await test.step('a webhook that Discord cannot be asked about is saved with a warning', async () => {
      const hook = house.discord.webhook()
      house.discord.silence(hook)
      await field(page, 'Discord Webhook URL').fill(hook.url)
      await save(page)
      await expect(toasts(page, 'warning', "Saved, but we couldn't check this webhook with Discord")).toBeVisible()
      await expect(page).toHaveURL(/\/modify\?id=/)
      await remove(page, house, idOf(page))
    })
  })
})
