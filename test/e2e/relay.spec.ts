import type { Page } from '@playwright/test'
import { payloadOf } from '../../src/tools/herokudiscordwebhook/examples/test-event.ts'
import { signatureOf } from '../../src/tools/herokudiscordwebhook/signature.ts'
import type { FakeHook } from '../fake-discord.ts'
import { barriers, fitsPhone } from './barriers.ts'
import type { House } from './house.ts'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada' })

const tool = '/tools/herokudiscordwebhook'
const api = '/api/v1/herokudiscordwebhook'
type Entry = { id: string; herokuEndpoint: string; secret: string; discordHook: string; threadId: string | null }

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function saved(house: House, hook: FakeHook, more: object = {}): Promise<Entry> {
  const { status, body } = await house.call<Entry>('POST', `${api}/`, { discordHook: hook.url, ...more })
  expect(status).toBe(201)
  return body
}
const read = async (house: House, id: string) => (await house.call<Entry>('GET', `${api}?id=${id}`)).body
/** Once nobody looks at it any more: a page that is open would ask for it in vain. */
async function remove(page: Page, house: House, id: string) {
  await page.goto('about:blank')
  await house.call('DELETE', `${api}?id=${id}`)
}
const idOf = (page: Page) => new URL(page.url()).searchParams.get('id') ?? ''

/** What Heroku does when a release is out. */
async function release({ herokuEndpoint, secret }: Pick<Entry, 'herokuEndpoint' | 'secret'>, version: number) {
  const payload = payloadOf('release-succeeded', { webhook_metadata: undefined })
  const data = { ...Object(payload.data), id: crypto.randomUUID(), version }
  const body = JSON.stringify({ ...payload, id: crypto.randomUUID(), data })
  const signature = signatureOf(secret, Buffer.from(body))
  const headers = { 'content-type': 'application/json', 'heroku-webhook-hmac-sha256': signature }
  return (await fetch(herokuEndpoint, { method: 'POST', body, headers })).status
}

test('the menu and the home page lead to it, between its neighbours, and it says what it does', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('list', { name: 'Tools' }).getByRole('heading')).toHaveText([
    'Analytics Badge',
    'Keep Alive',
    'Heroku Discord Webhook',
    'GitHub Media Invalidator',
  ])
  await page.getByRole('button', { name: 'Tools' }).click()
  await page.getByRole('menuitem', { name: 'Heroku Discord Webhook', exact: true }).click()
  await expect(page).toHaveURL(tool)
  await expect(page).toHaveTitle('ToolBox - Heroku Discord Webhook')
  await expect(page.getByText('Every deploy in the channel, in order')).toBeVisible()
  const ways = page.getByRole('navigation', { name: 'This tool' }).getByRole('link')
  await expect(ways).toHaveText(['Create', 'View list', 'Modify'])
})

test('a new entry has an endpoint and a command ready, and says Connected when Heroku has delivered', async ({
  page,
  house,
}) => {
  const hook = house.discord.webhook()
  await page.goto(`${tool}/create`)
  await field(page, 'Discord Webhook URL').fill(hook.url.replace('discord.com', 'canary.discord.com'))
  await page.getByText('Deploys', { exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success')).toContainText('Successfully created entry.')
  await expect(page).toHaveURL(/\/modify\?id=[\w-]{36}$/)
  const entry = await read(house, idOf(page))
  expect(entry.discordHook).toBe(hook.url)
  await expect(field(page, 'Discord Webhook URL')).toHaveValue(hook.url)
  await expect(field(page, 'Secret')).toHaveValue(entry.secret)

  const reach = region(page, 'Connect Heroku')
  await expect(reach.getByText(entry.herokuEndpoint, { exact: true })).toBeVisible()
  await reach.getByLabel('Heroku app').fill('Lantern API')
  const command = `heroku webhooks:add -a lanternapi -i api:release,api:build -l sync -s ${entry.secret} -u ${entry.herokuEndpoint}`
  await expect(reach.getByText(command, { exact: true })).toBeVisible()

  const state = region(page, 'Connection')
  await expect(state).toContainText('Waiting for the first delivery')
  expect(await release(entry, 7)).toBe(204)
  await expect(state).toContainText('Connected since')
  await expect(state).toContainText('Last message to Discord')
  expect(house.discord.said(hook)).toEqual([expect.stringContaining('v7 released')])
  await remove(page, house, entry.id)
})

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
  await page.getByRole('button', { name: 'Copy Secret' }).click()
  await expect.poll(clipboard).toBe(entry.secret)
  await expect(toasts(page, 'info').filter({ hasText: 'Copied the secret' })).toBeVisible()
  await page.getByRole('button', { name: 'Copy Command' }).click()
  await expect.poll(clipboard).toContain(`-s ${entry.secret} -u ${entry.herokuEndpoint}`)
  await remove(page, house, entry.id)
})

test('what is signed with another secret is refused, and the page says so at once', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  const state = region(page, 'Connection')
  await expect(state).toContainText('Waiting for the first delivery')
  for (const version of [1, 2, 3]) expect(await release({ ...entry, secret: 'of somebody else' }, version)).toBe(401)
  await expect(state).toContainText('3 deliveries refused: wrong secret')
  await expect(state).toContainText('Give Heroku the secret of this entry')
  await expect(state).toContainText('Waiting for the first delivery')
  await remove(page, house, entry.id)
})

test('a new secret is shown at once, also in the command, and the one before counts for a day', async ({
  page,
  house,
}) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await page.getByRole('button', { name: 'New secret' }).click()
  await expect(page.getByText('The one before counts until')).toBeVisible()
  const { secret } = await read(house, entry.id)
  expect(secret).not.toBe(entry.secret)
  await expect(field(page, 'Secret')).toHaveValue(secret)
  await expect(region(page, 'Connect Heroku')).toContainText(`-s ${secret} `)
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  expect(await release(entry, 1)).toBe(204)
  expect(await release({ ...entry, secret }, 2)).toBe(204)
  await remove(page, house, entry.id)
})

test('without signatures everybody may post, which the switch says', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await page.getByRole('switch', { name: 'Check signatures' }).uncheck()
  await expect(page.getByText('whoever learns the endpoint can post to your channel')).toBeVisible()
  await expect(field(page, 'Secret')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success')).toContainText('Successfully updated entry.')
  await expect(region(page, 'Connect Heroku')).not.toContainText(entry.secret)
  expect((await read(house, entry.id)).secret).toBeNull()

  await page.getByRole('switch', { name: 'Check signatures' }).check()
  await expect(field(page, 'Secret')).toHaveValue(/^[\da-f]{64}$/)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(region(page, 'Connect Heroku')).toContainText(await field(page, 'Secret').inputValue())
  await remove(page, house, entry.id)
})

test('lists of resources and statuses are one click from a preset, and kept', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook())
  await page.goto(`${tool}/modify?id=${entry.id}`)
  await page.getByText('Deploys and crashes', { exact: true }).click()
  await page.getByText('Custom', { exact: true }).click()
  await page.getByRole('button', { name: 'Remove api:build' }).click()
  await field(page, 'Resources').fill('addon')
  await page.getByRole('option', { name: 'api:addon', exact: true }).click()
  await page.keyboard.press('Escape')
  await field(page, 'Role to mention on failures').fill('<@&123456789012345678>')
  await field(page, 'Thread').fill('223456789012345678')
  await page.getByRole('switch', { name: 'Show who did it' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success')).toContainText('Successfully updated entry.')
  expect(await read(house, entry.id)).toMatchObject({
    filter: { resources: ['api:release', 'dyno', 'api:addon'], statuses: ['succeeded', 'failed', 'crashed'] },
    mentionRole: '123456789012345678',
    threadId: '223456789012345678',
    showActor: true,
  })
  await expect(region(page, 'Connect Heroku')).toContainText('-i api:release,dyno,api:addon -l sync')
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Custom' })).toBeChecked()
  await remove(page, house, entry.id)
})

test.describe('what cannot be', () => {
  test.use({ provoked: [/status of 400/] })
  test('is said beside its field: another address, a webhook that is gone, and no role', async ({ page, house }) => {
    const gone = house.discord.webhook()
    house.discord.remove(gone)
    await page.goto(`${tool}/create`)
    const alert = region(page, 'Entry').getByRole('alert')
    await field(page, 'Discord Webhook URL').fill('https://example.com/api/webhooks/1/2')
    await field(page, 'Role to mention on failures').fill('everybody')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(alert).toHaveText([/^Give a webhook URL of Discord/, /^Give the id of a role/])
    await field(page, 'Role to mention on failures').fill('')
    await field(page, 'Discord Webhook URL').fill(gone.url)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(alert).toHaveText([/^Discord does not know this webhook/])
    await expect(page).toHaveURL(`${tool}/create`)
    await page.getByRole('button', { name: 'Reset' }).click()
  })
})

test('a webhook that Discord cannot be asked about is saved with a warning', async ({ page, house }) => {
  const hook = house.discord.webhook()
  house.discord.silence(hook)
  await page.goto(`${tool}/create`)
  await field(page, 'Discord Webhook URL').fill(hook.url)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'warning')).toContainText('Saved, but Discord could not be asked about this webhook')
  await expect(page).toHaveURL(/\/modify\?id=/)
  const id = idOf(page)
  await remove(page, house, id)
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
    for (const version of [1, 2]) expect(await release(entry, version)).toBe(204)
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

test('the list masks webhooks, and a whole URL that is pasted finds its own', async ({ page, house }) => {
  const [one, other] = [house.discord.webhook(), house.discord.webhook()]
  const entries = [await saved(house, one), await saved(house, other, { status: false })]
  await page.goto(`${tool}/viewlist`)
  const heads = page.getByRole('columnheader')
  await expect(heads).toHaveText([
    /^ID/,
    /^Heroku Webhook Endpoint/,
    /^Discord Webhook URL/,
    /^Status/,
    /^Owner/,
    /^Created Timestamp/,
    /^Actions/,
  ])
  const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })
  await expect(rows).toHaveCount(2)
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
  for (const { id } of entries) await remove(page, house, id)
})

test.describe('deleting it', () => {
  test.use({ provoked: [/status of 404/] })
  test('asks first, by its own name, and leads back to the search without a complaint', async ({ page, house }) => {
    const { id } = await saved(house, house.discord.webhook())
    await page.goto(`${tool}/modify?id=${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await expect(dialog).toContainText('Are you sure you want to delete this webhook relay entry?')
    await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(toasts(page, 'success')).toContainText('Successfully deleted entry.')
    await expect(page).toHaveURL(`${tool}/modify`)
    await expect(page.getByLabel('Enter your ID')).toHaveValue('')
    await page.waitForLoadState('networkidle')
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
})

test('no screen has a barrier, nor scrolls sideways on a phone', async ({ page, house }) => {
  const entry = await saved(house, house.discord.webhook(), { filter: { resources: ['api:release'], statuses: [] } })
  for (const [path, sign] of [
    [tool, 'Every deploy in the channel, in order'],
    [`${tool}/create`, 'Copy Webhook URL'],
    [`${tool}/viewlist`, 'ada@example.com'],
    [`${tool}/modify?id=${entry.id}`, 'Waiting for the first delivery'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByText(sign).first()).toBeVisible()
    await page.evaluate('document.fonts.ready')
    expect.soft(await barriers(page), path).toEqual([])
    await fitsPhone(page, path)
  }
  await remove(page, house, entry.id)
})

test('neither trouble nor the way out of it is a barrier', async ({ page, house }) => {
  const hook = house.discord.webhook()
  const entry = await saved(house, hook)
  house.discord.remove(hook)
  expect(await release(entry, 1)).toBe(204)
  expect(await release({ ...entry, secret: 'of somebody else' }, 2)).toBe(401)
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
