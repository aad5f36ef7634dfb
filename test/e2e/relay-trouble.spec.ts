import { barriers, fitsPhone } from './barriers.ts'
import { expect, test, toasts } from './kit.ts'
import { deliver, field, region, remove, saved, tool } from './relay.ts'

test.use({ visitor: 'ada' })

test('what is signed with another secret is refused, and the page says so at once', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  const state = region(page, 'Connection')
  await expect(state).toContainText('Waiting for the first delivery')
  for (const version of [1, 2, 3]) expect(await deliver({ ...entry, secret: 'of somebody else' }, version)).toBe(401)
  await expect(state).toContainText('3 deliveries refused: wrong secret')
  await expect(state).toContainText('Give Heroku the secret of this entry')
  await expect(state).toContainText('Waiting for the first delivery')
  await remove(page, house, entry.id)
})

test.describe('a webhook that is deleted at Discord', () => {
  test.use({ provoked: [/status of 400/] })
  test('is told of, and replaced, and what was held goes to the new one', async ({ page, house }) => {
    const [old, gone, fresh] = [house.discord.webhook(), house.discord.webhook(), house.discord.webhook()]
    house.discord.remove(gone)
    const entry = await saved(house, old)
    await page.goto(`${tool}/modify?id=${entry.id}`)
    const state = region(page, 'Connection')
    await expect(state).toContainText('No message sent to Discord yet')
    house.discord.remove(old)
    for (const version of [1, 2]) expect(await deliver(entry, version)).toBe(204)
    await expect(state).toContainText('Discord refuses the webhook since')
    await expect(state).toContainText('It answered 404: Unknown Webhook.')
    await expect(toasts(page, 'danger')).toContainText(`Discord refuses the webhook of the relay ${entry.id}`)
    await expect(region(page, 'Entry').getByRole('alert')).toContainText('Discord refuses it')
    await expect(page.getByRole('button', { name: 'Replay all held (2)' })).toBeVisible()

    await state.getByRole('button', { name: 'Replace URL and replay held' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the webhook' })
    await dialog.getByLabel('New Discord Webhook URL').fill(gone.url)
    await dialog.getByRole('button', { name: 'Replace and replay' }).click()
    await expect(dialog.getByRole('alert')).toContainText('Discord does not know this webhook')
    await dialog.getByLabel('New Discord Webhook URL').fill(fresh.url)
    await page.keyboard.press('Control+s')
    await expect(toasts(page, 'success')).toContainText('The URL is replaced. 2 events go to Discord again.')
    await expect(dialog).toHaveCount(0)
    await expect(state).toContainText('Last message to Discord')
    await expect(state).not.toContainText('Discord refuses the webhook')
    await expect(field(page, 'Discord Webhook URL')).toHaveValue(fresh.url)
    await expect
      .poll(() => house.discord.said(fresh))
      .toEqual([expect.stringContaining('v1 released'), expect.stringContaining('v2 released')])
    await remove(page, house, entry.id)
  })
})

test('neither trouble nor the way out of it is a barrier', async ({ page, house }) => {
  const hook = house.discord.webhook()
  const entry = await saved(house, hook)
  house.discord.remove(hook)
  expect(await deliver(entry, 1)).toBe(204)
  expect(await deliver({ ...entry, secret: 'of somebody else' }, 2)).toBe(401)
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await expect(region(page, 'Connection')).toContainText('Discord refuses the webhook since')
  await expect(region(page, 'Connection')).toContainText('1 delivery refused: wrong secret')
  expect.soft(await barriers(page), 'trouble').toEqual([])
  await fitsPhone(page, 'trouble')
  await page.getByRole('button', { name: 'Replace URL and replay held' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect.soft(await barriers(page), 'dialog').toEqual([])
  await remove(page, house, entry.id)
})
