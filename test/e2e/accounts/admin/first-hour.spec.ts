import type { Locator } from '@playwright/test'
import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, test, toasts } from '../../../support/page/kit.ts'

test.use({ visitor: 'ada' })

test('Home shows admins what a new server still needs, until it is done or dismissed', async ({ page, house }) => {
  const id = await house.entry('/first')
  await page.goto('/')
  const region = page.getByRole('region', { name: 'First steps' })
  const steps = region.getByRole('listitem')
  // With an entry, one line is enough, below the tools.
  await expect(region).toHaveText(/^First steps\d of 7 done/)
  await expect(steps.first()).toBeHidden()
  await expect(region.getByText(/^Next: /)).toBeVisible()
  await region.getByText('First steps').click()
  await expect(region.getByText(/^Next: /)).toBeHidden()
  await expect(steps.filter({ hasText: 'Done: Create the first entry' })).toBeVisible()
  await expect(steps.filter({ hasText: 'Done: On this computer, http is enough' })).toBeVisible()
  await expect(page.getByText('Turn on https')).toHaveCount(0)
  const provider = steps.filter({ hasText: 'Let people sign in with a provider' })
  await provider.getByText('Callback URLs').click()
  await expect(provider).toContainText(`${house.url}/api/auth/callback/002_Github`)
  await expect(provider.getByRole('link', { name: 'Register at GitHub' })).toHaveAttribute(
    'href',
    /settings\/developers$/,
  )
  expect(await barriers(page)).toEqual([])
  const top = async (place: Locator) => (await place.boundingBox())?.y ?? 0
  const ofTools = await top(page.getByRole('list', { name: 'Tools' }))
  expect(await top(region)).toBeGreaterThan(ofTools)
  await fitsPhone(page, '/')

  const dismiss = steps.getByRole('button', { name: /^Dismiss/ }).first()
  const name = (await dismiss.getAttribute('aria-label')) ?? ''
  await dismiss.click()
  await expect(toasts(page, 'success', 'Dismissed for all admins.')).toBeVisible()
  await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await page.reload()
  await region.getByText('First steps').click()
  await expect(steps.first()).toBeVisible()
  await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await house.remove(id)
})

test('the tools on Home stay where they are once they are seen @release', async ({ page }) => {
  await page.addInitScript(`
    window.places = []
    const look = () => {
      const isSeen = document.querySelector('main ul[aria-label="Tools"]')?.checkVisibility({ visibilityProperty: true })
      const heading = document.querySelector('main section h2')?.textContent
      const place = isSeen ? 'below ' + heading : 'unseen'
      if (place !== window.places.at(-1)) window.places.push(place)
      requestAnimationFrame(look)
    }
    look()`)
  await page.goto('/')
  await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate('window.places')).toEqual(['unseen', 'below First steps'])
})

test('the admin menu leads to what this server finds wrong with itself', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Admin', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Health' }).click()
  await expect(page).toHaveTitle('ToolBox - Health')
  const amiss = page.getByRole('region', { name: 'Needs attention' })
  await expect(amiss.getByRole('status')).toHaveText(/^\d+ warnings?$/)
  const address = amiss.getByRole('listitem').filter({ hasText: 'Address' })
  await expect(address).toContainText("since BASE_URL isn't set")
  await expect(address).toContainText('Warning: Address')
  await expect(page.getByRole('region', { name: 'All good' }).getByRole('listitem').first()).toContainText('Address')
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, '/admin/health')
  await amiss.getByRole('link', { name: 'Users' }).first().click()
  await expect(page).toHaveURL('/admin/users')
})

test('an empty list offers an example that fills in the form, and addresses on this computer are marked @release', async ({
  page,
}) => {
  await page.goto('/tools/herokudiscordwebhook/viewlist')
  await page.getByRole('link', { name: 'Fill in an example' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Deploys of my-app')
  await expect(page.getByText('Nothing is saved yet')).toBeVisible()
  await page.goto('/tools/analyticsbadge')
  await expect(page.getByText("Only this computer can reach this address; readers of your pages can't.")).toBeVisible()
  await page.getByRole('link', { name: 'Documentation' }).click()
  await page.getByRole('link', { name: 'Back up' }).click()
  await expect(page).toHaveURL('/docs/backups')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await barriers(page)).toEqual([])
})

test('the documentation shows its pictures @release', async ({ page }) => {
  await page.goto('/docs/walk')
  const pictures = page.getByRole('img')
  await expect(pictures.first()).toBeVisible()
  const decode = 'Promise.all([...document.images].map((one) => one.decode().then(() => one.naturalWidth > 0)))'
  expect(await page.evaluate<boolean[]>(decode)).toEqual(Array(await pictures.count()).fill(true))
  await fitsPhone(page, '/docs/walk')
})
