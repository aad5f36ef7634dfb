import packageJson from '../../package.json' with { type: 'json' }
import { accessibilityViolations, expectFitsPhone, expectUsable } from '../support/page/accessibility.ts'
import { createFailingEntry } from '../support/page/entry-tools.ts'
import { expect, test } from '../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

test('the API page sends calls with the given key and follows the app’s theme', async ({ page, instance }) => {
  const body = { name: 'docs', scopes: ['read'], expiresAt: null }
  const { key } = (await instance.call<{ key: string }>('POST', '/api/v1/user/apikeys', body)).body
  await page.goto('/api/docs')
  await expect(page.getByRole('region', { name: 'API keys' })).toContainText('Authorization: Bearer tbx_…')
  await expectUsable(page, '/api/docs')
  await page.getByLabel('Try the calls below with a key instead of your session').fill(key)
  await page.getByText('/api/v1/auth/session', { exact: true }).click()
  const form = page.locator('form[data-path="/api/v1/auth/session"]')
  const request = page.waitForRequest('**/api/v1/auth/session')
  await form.getByRole('button', { name: 'Send' }).click()
  expect((await request).headers()).toMatchObject({ authorization: `Bearer ${key}` })
  await expect(form.getByRole('status')).toContainText('"email": "ada@example.com"')
  expect(await accessibilityViolations(page)).toEqual([])

  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/')
  await page.getByRole('radio', { name: 'Dark theme' }).check({ force: true })
  await page.goto('/api/docs')
  await expect(page.locator('html')).toHaveClass('dark')
  await expect(page.getByRole('contentinfo')).toContainText(`Version ${packageJson.version}`)
})

test('the API page sends the token of its own port, not of another ToolBox on this host', async ({ page }) => {
  const cookie = "'XSRF-TOKEN=other; XSRF-TOKEN-' + location.port + '=own'"
  await page.addInitScript(`Object.defineProperty(document, 'cookie', { get: () => ${cookie} })`)
  await page.goto('/api/docs')
  const url = '/api/v1/keepalive/recent'
  await page.getByText(url, { exact: true }).click()
  const request = page.waitForRequest(`**${url}`)
  await page.locator(`form[data-path="${url}"]`).getByRole('button', { name: 'Send' }).click()
  expect((await request).headers()).toMatchObject({ 'x-xsrf-token': 'own' })
})

test('an empty list offers an example, and local URLs carry a warning @release', async ({ page }) => {
  await page.goto('/tools/herokudiscordwebhook/viewlist')
  await page.getByRole('link', { name: 'Fill in an example' }).click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Deploys of my-app')
  await expect(page.getByText('Nothing is saved yet')).toBeVisible()
  await page.goto('/tools/analyticsbadge')
  await expect(page.getByText("Only this computer can reach this address; readers of your pages can't.")).toBeVisible()
  await page.getByRole('link', { name: 'Documentation' }).click()
  await page.getByRole('link', { name: 'Back up' }).click()
  await expect(page).toHaveURL('/docs/backups')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
})

test('the header of pages outside the app links to failing entries too', async ({ page, instance }) => {
  await createFailingEntry(instance, 'Docs reader')
  for (const path of ['/docs', '/license', '/api/docs']) {
    await page.goto(path)
    await expect(page.getByRole('banner').getByRole('link', { name: '1 failing entry' })).toHaveAttribute('href', '/')
  }
  await expectUsable(page, '/api/docs with what fails')
})

test('the documentation shows its pictures @release', async ({ page }) => {
  await page.goto('/docs/walk')
  const pictures = page.getByRole('img')
  await expect(pictures.first()).toBeVisible()
  const decode = 'Promise.all([...document.images].map((one) => one.decode().then(() => one.naturalWidth > 0)))'
  expect(await page.evaluate<boolean[]>(decode)).toEqual(Array(await pictures.count()).fill(true))
  await expectFitsPhone(page, '/docs/walk')
})
