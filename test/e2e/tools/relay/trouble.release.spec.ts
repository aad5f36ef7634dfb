import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, test, toasts } from '../../../support/page/kit.ts'
import { deliver, field, region, remove, saved, tool } from '../../../support/page/relay.ts'

test.use({ visitor: 'ada' })

test.describe('a webhook that is deleted at Discord', () => {
  test.use({ provoked: [/status of 400/] })
  test('is told of, and replaced, and what was held goes to the new one', async ({ page, house }) => {
    const [old, gone, fresh] = [house.discord.webhook(), house.discord.webhook(), house.discord.webhook()]
    house.discord.remove(gone)
    const entry = await saved(house, old)
    await page.goto(`${tool}/modify?id=${entry.id}`)
    const state = region(page, 'Connection')
    await expect(state).toContainText('No messages sent to Discord yet')
    await expect(state).toContainText('Waiting for the first delivery')
    const forged = { ...entry, secret: 'of somebody else' }
    await test.step('what is signed with another secret is refused, and the page says so at once', async () => {
      for (const version of [1, 2, 3]) expect(await deliver(forged, version)).toBe(401)
      await expect(state).toContainText('3 deliveries rejected: wrong secret')
      await expect(state).toContainText("Set this entry's secret in Heroku")
      await expect(state).toContainText('Waiting for the first delivery')
    })
    await house.beginNewItems()
    house.discord.remove(old)
    for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
    // First, since it goes by itself.
    await expect(toasts(page, 'danger', 'is blocked (answered 404')).toBeVisible()
    await expect(state).toContainText('Connected since')
    await expect(state).not.toContainText('wrong secret')
    await expect(state).toContainText('Discord has rejected this webhook since')
    await expect(state).toContainText('Discord answered 404: Unknown Webhook.')
    await expect(region(page, 'Entry').getByRole('alert')).toContainText('Rejected by Discord')
    await expect(page.getByRole('button', { name: 'Replay all held (2)' })).toBeVisible()
    expect(await deliver(forged, 3)).toBe(401)
    await expect(state).toContainText('1 delivery rejected: wrong secret')
    expect.soft(await barriers(page), 'trouble').toEqual([])
    await fitsPhone(page, 'trouble')

    await state.getByRole('button', { name: 'Replace URL and replay held events' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace webhook' })
    await expect(dialog).toBeVisible()
    expect.soft(await barriers(page), 'dialog').toEqual([])
    await dialog.getByLabel('New Discord Webhook URL').fill(gone.url)
    await dialog.getByRole('button', { name: 'Replace and replay' }).click()
    await expect(dialog.getByRole('alert')).toContainText("Discord doesn't know this webhook")
    await dialog.getByLabel('New Discord Webhook URL').fill(fresh.url)
    await page.keyboard.press('Control+s')
    await expect(toasts(page, 'success', 'Webhook URL replaced. Replaying 2 events.')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await expect(state).toContainText('Last message to Discord')
    await expect(state).not.toContainText('Discord has rejected this webhook')
    await expect(toasts(page, 'danger', 'is blocked')).toHaveCount(0)
    await expect(field(page, 'Discord Webhook URL')).toHaveValue(fresh.url)
    await expect
      .poll(() => house.discord.said(fresh))
      .toEqual([expect.stringContaining('v1 released'), expect.stringContaining('v2 released')])
    await remove(page, house, entry.id)
  })
})

test('what is held is counted, also after the webhook was replaced in the form', async ({ page, house }) => {
  const [old, fresh] = [house.discord.webhook(), house.discord.webhook()]
  const entry = await saved(house, old)
  await page.goto(`${tool}/modify?id=${entry.id}`)
  house.discord.answers(old, 'unknown')
  for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
  await expect(page.getByRole('button', { name: 'Replay all held (2)' })).toBeEnabled()
  await field(page, 'Discord Webhook URL').fill(fresh.url)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const state = region(page, 'Connection')
  await expect(state).toContainText('2 events waiting to be replayed')
  await page.getByRole('button', { name: 'Replay all held (2)' }).click()
  await expect(state).toContainText('Last message to Discord')
  await expect(page.getByRole('button', { name: 'Nothing is held' })).toBeDisabled()
  await page.getByLabel('Search events').focus()
  await expect(page.getByRole('button', { name: /held/ })).toHaveCount(0)
  await expect.poll(() => house.discord.said(fresh)).toHaveLength(2)
  await remove(page, house, entry.id)
})
