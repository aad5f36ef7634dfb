import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, go, test, toasts } from '../../../support/page/kit.ts'
import { deliver, field, idOf, read, region, remove, save, saved, tool } from '../../../support/page/relay.ts'

test.use({ visitor: 'ada' })

test('the menu and the home page lead to it, between its neighbours, and it says what it does @release', async ({
  page,
  house,
}) => {
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
  await expect(page.getByText('Every deploy in your channel, in order')).toBeVisible()
  const ways = page.getByRole('navigation', { name: 'This tool' }).getByRole('link')
  await expect(ways).toHaveText(['Create', 'View list', 'Modify'])

  await test.step('no screen has a barrier, nor scrolls sideways on a phone', async () => {
    const entry = await saved(house, house.discord.webhook(), { filter: { resources: ['api:release'], statuses: [] } })
    for (const [path, sign] of [
      [tool, 'Every deploy in your channel, in order'],
      [`${tool}/create`, 'Copy Webhook URL'],
      [`${tool}/viewlist`, 'ada@example.com'],
      [`${tool}/modify?id=${entry.id}`, 'Waiting for the first delivery'],
    ] as const) {
      await go(page, path)
      await expect(page.getByText(sign).first()).toBeVisible()
      await page.evaluate('document.fonts.ready')
      expect.soft(await barriers(page), path).toEqual([])
      await fitsPhone(page, path)
    }
    await remove(page, house, entry.id)
  })
})

test.describe('an entry', () => {
  test.use({ provoked: [/status of 404/] })
  test('a new entry has an endpoint and a command ready, and says Connected when Heroku has delivered', async ({
    page,
    house,
  }) => {
    const hook = house.discord.webhook()
    await page.goto(`${tool}/create`)
    await field(page, 'Discord Webhook URL').fill(hook.url.replace('discord.com', 'canary.discord.com'))
    await page.getByText('Deploys', { exact: true }).click()
    await save(page)
    await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
    await expect(page).toHaveURL(/\/modify\?id=[\w-]{36}$/)
    const entry = await read(house, idOf(page))
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
    // Once it is done, how to connect is folded.
    await expect(reach).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('lantern-api')
    await page.getByRole('button', { name: 'Heroku command and endpoint' }).click()
    await expect(reach.getByLabel('Heroku app')).toHaveValue('lantern-api')
    expect(house.discord.said(hook)).toEqual([expect.stringContaining('v7 released')])

    await test.step('deleting it asks first, by its own name, and leads back without a complaint', async () => {
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: `Delete ${entry.id} ?` })
      await expect(dialog).toContainText('Are you sure you want to delete this webhook relay entry?')
      await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
      await expect(toasts(page, 'success', 'Successfully deleted entry.')).toBeVisible()
      await expect(page).toHaveURL(`${tool}/modify`)
      await expect(page.getByLabel('Enter your ID')).toHaveValue('')
      await page.waitForLoadState('networkidle')
      await expect(toasts(page, 'danger')).toHaveCount(0)
    })
  })
})

test('the list masks webhooks, and a whole URL that is pasted finds its own @release', async ({ page, house }) => {
  const [one, other] = [house.discord.webhook(), house.discord.webhook()]
  const entries = [await saved(house, one), await saved(house, other, { status: false })]
  await page.goto(`${tool}/viewlist`)
  const heads = page.getByRole('columnheader')
  await expect(heads).toHaveText([
    /^Name/,
    /^Last 30 runs/,
    /^Last Run/,
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
  await expect(rows.getByRole('link', { name: 'Waiting for first delivery', exact: true })).toHaveCount(2)
  await expect(rows.getByRole('link', { name: 'Connect Heroku' })).toHaveAttribute('href', new RegExp(entries[0]!.id))
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
