import type { Page } from '@playwright/test'
import { tools } from '../../src/tools/index.ts'
import { expect, go, test } from '../support/page/kit.ts'
import { admin } from '../support/process.ts'

const toolsMenu = ['Home', ...tools.map(({ label }) => label)]
const adminMenu = ['List Users', 'Edit User', 'Invitations', 'Health', 'Audit Log', 'Announcements', 'Backups']
const ownMenu = ['User Profile', 'Security', 'API keys', 'Import and export', 'Keyboard shortcuts', 'Sign out']

const header = (page: Page) => page.getByRole('banner')
const button = (page: Page, name: string) => header(page).getByRole('button', { name, exact: true })
const items = (page: Page) => page.getByRole('menuitem')
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const current = (page: Page) => page.locator('[role=menuitem][aria-current=page]')

async function open(page: Page, menu: string) {
  // One that is still on its way out takes the click.
  await expect(page.getByRole('menu')).toHaveCount(0)
  await button(page, menu).click()
  await expect(page.getByRole('menu')).toBeVisible()
}
async function close(page: Page, menu: string) {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(button(page, menu)).toBeFocused()
}
test.describe('with every role', () => {
  // Nobody has the address that one of the screens is asked for.
  test.use({ visitor: 'ada', provoked: [/status of 404/] })

  test('For an administrator', async ({ page, holds }) => {
    await page.goto('/user')
    await expect(button(page, 'Tools')).toBeVisible()

    await holds('The header is 4rem high, also when the reader has larger letters.', async () => {
      expect((await header(page).boundingBox())?.height).toBe(64)
      await page.evaluate("document.documentElement.style.fontSize = '20px'")
      await expect.poll(async () => (await header(page).boundingBox())?.height).toBe(80)
      await page.evaluate("document.documentElement.style.fontSize = ''")
    })
    await holds('It is fixed to the top: it stays while the screen scrolls under it.', async () => {
      await expect(header(page)).toHaveCSS('position', 'fixed')
      await page.setViewportSize({ width: 1000, height: 300 })
      await expect(page.getByRole('heading', { name: 'Preferences' })).toBeAttached()
      await page.mouse.move(500, 200)
      await page.mouse.wheel(0, 300)
      await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
      expect((await header(page).boundingBox())?.y).toBe(0)
      await page.setViewportSize({ width: 1280, height: 800 })
    })
    await holds('The logo and the brand in two words, Tool Box, are a link home.', async () => {
      const brand = header(page).getByRole('link', { name: 'Tool Box', exact: true })
      await expect(brand.locator('svg')).toBeVisible()
      await brand.click()
      await expect(page).toHaveURL('/')
    })
    await holds(`Tools opens a dropdown of ${toolsMenu.join(', ')}.`, async () => {
      await open(page, 'Tools')
      await expect(items(page)).toHaveText(toolsMenu)
      await close(page, 'Tools')
    })
    await holds(`Admin opens a dropdown of ${adminMenu.join(', ')}.`, async () => {
      await open(page, 'Admin')
      await expect(items(page)).toHaveText(adminMenu)
      await expect(item(page, 'List Users')).toHaveAttribute('href', '/admin/users')
      await expect(item(page, 'Edit User')).toHaveAttribute('href', '/admin/user/modify')
      await expect(item(page, 'Health')).toHaveAttribute('href', '/admin/health')
      await close(page, 'Admin')
    })
    await holds('Status Page and Channels are links of the header.', async () => {
      const link = (name: string) => header(page).getByRole('link', { name, exact: true })
      await expect(link('Status Page')).toHaveAttribute('href', '/user/status')
      await expect(link('Channels')).toHaveAttribute('href', '/user/channels')
    })
    await holds(`The name of the user stands beside an icon and opens ${ownMenu.join(', ')}.`, async () => {
      await expect(button(page, admin.username).locator('svg').first()).toBeVisible()
      await open(page, admin.username)
      await expect(items(page)).toHaveText(ownMenu)
      await expect(item(page, 'User Profile')).toHaveAttribute('href', '/user')
      await close(page, admin.username)
    })
    await holds('Each dropdown opens 4 px below its button.', async () => {
      for (const name of ['Tools', 'Admin', admin.username]) {
        await open(page, name)
        const box = await button(page, name).boundingBox()
        const below = async () =>
          ((await page.getByRole('menu').boundingBox())?.y ?? 0) - (box ? box.y + box.height : 0)
        await expect.poll(below).toBe(4)
        await close(page, name)
      }
    })
    await holds('Tools is highlighted at every address under /tools/, and nowhere else.', async () => {
      for (const path of ['/tools/analyticsbadge', '/tools/keepalive/create', '/tools/keepalive/viewlist?page=1']) {
        await go(page, path)
        await expect(button(page, 'Tools'), path).toHaveAttribute('data-active')
      }
      for (const path of ['/', '/user', '/admin/users']) {
        await go(page, path)
        await expect(button(page, 'Tools'), path).not.toHaveAttribute('data-active')
      }
    })
    await holds('Admin is highlighted at every address that begins with /admin, and nowhere else.', async () => {
      for (const path of ['/admin/users', '/admin/user/modify?email=nobody', '/admin/audit']) {
        await go(page, path)
        await expect(button(page, 'Admin'), path).toHaveAttribute('data-active')
      }
      for (const path of ['/', '/user', '/tools/keepalive']) {
        await go(page, path)
        await expect(button(page, 'Admin'), path).not.toHaveAttribute('data-active')
      }
    })
    await holds('A menu item is highlighted at exactly its own address, not below it.', async () => {
      const here = { Tools: { '/': 'Home', '/tools/keepalive': 'Keep Alive' }, Admin: { '/admin/users': 'List Users' } }
      for (const [menu, paths] of Object.entries(here))
        for (const [path, name] of Object.entries(paths)) {
          await go(page, path)
          await open(page, menu)
          await expect(current(page)).toHaveText([name])
          await close(page, menu)
        }
      await go(page, '/tools/keepalive/create')
      await open(page, 'Tools')
      await expect(current(page)).toHaveCount(0)
      await close(page, 'Tools')
    })
    await holds('A menu item leads to its screen.', async () => {
      await open(page, 'Tools')
      await item(page, 'Analytics Badge').click()
      await expect(page).toHaveURL('/tools/analyticsbadge')
      await open(page, admin.username)
      await item(page, 'User Profile').click()
      await expect(page).toHaveURL('/user')
    })
  })
})

test.describe('without a role', () => {
  test.use({ visitor: 'grace' })
  test('For a user without a role', async ({ page, holds }) => {
    await page.goto('/')
    await expect(button(page, 'grace')).toBeVisible()
    await holds('There is no Admin dropdown for whoever has no level of that role.', async () => {
      await expect(button(page, 'Tools')).toBeVisible()
      await expect(button(page, 'Admin')).toHaveCount(0)
    })
    await holds('There is no Sign in button for whoever is signed in.', async () => {
      await expect(header(page).getByRole('link', { name: 'Sign in' })).toHaveCount(0)
    })
  })
})

test('For a visitor', async ({ page, holds }) => {
  await page.goto('/')
  const signIn = header(page).getByRole('link', { name: 'Sign in', exact: true })
  await expect(signIn).toBeVisible()
  await holds('There is neither an Admin dropdown nor one of a user.', async () => {
    await expect(header(page).getByRole('button', { expanded: false }).filter({ visible: true })).toHaveText(['Tools'])
  })
  await holds('A Sign in button leads to the ways to sign in.', async () => {
    await signIn.click()
    await expect(page).toHaveURL('/auth/signin')
  })
})
