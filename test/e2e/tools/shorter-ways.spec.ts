import { expect, test, toasts } from '../../support/page/kit.ts'
import { saved } from '../../support/page/relay.ts'

// A deleted keep-alive entry is asked for once more, in vain.
test.use({ visitor: 'ada', provoked: [/status of 40[04]/] })

const tool = '/tools/keepalive'

test('a copy begins with the settings of its original, from the list and from the entry, and is another one', async ({
  page,
  house,
}) => {
  const id = await house.entry('/copied', { status: false })
  await house.call('PATCH', '/api/v1/keepalive', { id, interval: 13, name: 'Original', notifyAfter: 5 })
  await page.goto(`${tool}/viewlist?id=${id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(page).toHaveURL(`${tool}/create?from=${id}`)
  await expect(page.getByRole('heading', { name: 'Create' })).toBeVisible()
  await expect(page.getByLabel('URL')).toHaveValue(house.target.url('/copied'))
  await expect(page.getByLabel('Name')).toHaveValue('Original copy')
  await expect(page.getByLabel('Notify after')).toHaveValue('5')
  await expect(page.getByRole('radio', { name: 'Render' })).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.getByRole('link', { name: 'Duplicate' })).toBeVisible()
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await expect(page.getByLabel('URL')).toHaveValue(house.target.url('/copied'))
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByLabel('URL')).toHaveValue('')
  const copies = (await house.entries()).filter(({ url }) => url.endsWith('/copied'))
  expect(copies).toHaveLength(2)
  for (const { id } of copies) await house.remove(id)
})

test('no secret of a relay is copied @release', async ({ page, house }) => {
  const { id } = await saved(house, house.discord.webhook())
  await page.goto(`/tools/herokudiscordwebhook/create?from=${id}`)
  await expect(page.getByText('Secrets are not copied.')).toBeVisible()
  await expect(page.getByLabel('Discord Webhook URL')).toHaveValue('')
  await house.call('DELETE', `/api/v1/herokudiscordwebhook?id=${id}`)
})

test('an address without a scheme gets https when its field is left, or with the save', async ({ page }) => {
  await page.goto(`${tool}/create`)
  const field = page.getByLabel('URL')
  await field.fill('app.example.com/health')
  await field.blur()
  await expect(field).toHaveValue('https://app.example.com/health')
  await expect(page.getByRole('region', { name: 'What will happen' })).toContainText('Host: app.example.com')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await page.route('**/api/v1/keepalive/', (route) => route.fulfill({ status: 400, json: { error: 'Not today.' } }))
  await field.fill('other.example.com')
  await page.keyboard.press('ControlOrMeta+s')
  expect((await sent).postDataJSON()).toMatchObject({ url: 'https://other.example.com' })
  await page.getByRole('button', { name: 'Reset' }).click()
})
test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })
  test('the newest entries stand below the search for one, and history before the form @release', async ({
    page,
    house,
  }) => {
    const id = await house.entry('/newest-of-all')
    await page.goto(`${tool}/modify`)
    await page.getByRole('link', { name: /newest-of-all/ }).click()
    await expect(page).toHaveURL(`${tool}/modify?id=${id}`)
    const history = await page.getByRole('heading', { name: 'Run History' }).boundingBox()
    const form = await page.getByRole('region', { name: 'Entry', exact: true }).boundingBox()
    expect(history!.y).toBeLessThan(form!.y)
    await house.remove(id)
  })
})
