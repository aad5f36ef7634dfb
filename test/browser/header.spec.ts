import type { Page } from '@playwright/test'
import packageJson from '../../package.json' with { type: 'json' }
import { tools } from '../../src/tools/index.ts'
import { expect, go, holdBack, test } from '../support/page/kit.ts'
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
  test.use({ visitor: 'ada' })

  test('For an administrator', async ({ page, holds, provokes }) => {
    // Nobody has the address that one of the screens is asked for.
    provokes(/status of 404/)
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
      // None of those that may still be on their way, of which one would be here already.
      await go(page, '/tools/herokudiscordwebhook')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      for (const [menu, paths] of Object.entries(here))
        for (const [path, name] of Object.entries(paths)) {
          await go(page, path)
          await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
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

  test('says in the ink of a failure only what fails', async ({ page, house }) => {
    const paused = await house.entry('/calm', { status: false })
    await page.goto('/')
    await open(page, 'Tools')
    const hint = item(page, 'Keep Alive').locator('[data-hint]')
    await expect(hint).toHaveAttribute('data-hint', '1 paused')
    await expect(hint).not.toHaveAttribute('data-bad')
    await close(page, 'Tools')
    await house.call('PATCH', '/api/v1/keepalive', { id: paused, url: house.target.url('/down/menu'), status: true })
    await open(page, 'Tools')
    await expect(hint).toHaveAttribute('data-hint', '1 failing')
    await expect(hint).toHaveAttribute('data-bad')
  })

  test('opens a menu whose code arrives while its button is pressed', async ({ page }) => {
    const letIn = await holdBack(page, /menu-popup/)
    await page.goto('/')
    await button(page, 'Tools').hover()
    await page.mouse.down()
    const arrived = page.waitForResponse(/menu-popup/)
    letIn()
    // The code has run and the screen is drawn anew before the pointer goes up.
    const drawn = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'
    await page.evaluate(`import(${JSON.stringify((await arrived).url())}).then(() => ${drawn})`)
    await page.mouse.up()
    await expect(page.getByRole('menu')).toBeVisible()
  })

  test('goes where a press began, though what the item tells arrives before it ends @release', async ({ page }) => {
    const letIn = await holdBack(page, /at-home.*js/)
    await page.goto('/tools/keepalive/create')
    await button(page, 'Tools').click()
    const relay = item(page, 'Heroku Discord Webhook')
    const { x, y, height } = (await relay.locator('[data-hint]').boundingBox())!
    await page.mouse.move(x + 5, y + height - 5)
    await page.mouse.down()
    letIn()
    await expect(relay.locator('[data-hint="No entries yet"]')).toBeVisible()
    await page.mouse.up()
    await expect(page).toHaveURL('/tools/herokudiscordwebhook')
  })

  test('opens a menu by keyboard before its code has arrived, and walks it @release', async ({ page }) => {
    const letIn = await holdBack(page, /menu-popup/)
    await page.goto('/')
    await button(page, 'Tools').press('Enter')
    letIn()
    await expect(item(page, 'Home')).toBeFocused()
    await close(page, 'Tools')
    await page.keyboard.press('Enter')
    await expect(item(page, 'Home')).toBeFocused()
    for (const name of ['Analytics Badge', 'Keep Alive']) {
      await page.keyboard.press('ArrowDown')
      await expect(item(page, name)).toBeFocused()
    }
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/tools/keepalive')
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
  await test.step('below each screen stands the version', async () => {
    for (const path of ['/', '/auth/error']) {
      await go(page, path)
      const foot = `Version ${packageJson.version}DocumentationAPIMIT License`
      await expect(page.getByRole('contentinfo')).toHaveText(foot)
    }
  })
})

test.describe('a page that was scrolled', () => {
  test.use({ visitor: 'ada', viewport: { width: 360, height: 500 } })
  test('is where it was left after a reload @release', async ({ page }) => {
    await page.goto('/tools/keepalive/create')
    await expect(page.getByRole('button', { name: 'Request and quiet hours' })).toBeVisible()
    // The router hears of it in the next frame.
    await page.evaluate(
      `new Promise((heard) => {
        addEventListener('scroll', heard, { once: true })
        scrollTo(0, 300)
      })`,
    )
    await page.addInitScript("window.scrolls = []; addEventListener('scroll', () => scrolls.push(scrollY))")
    await page.reload()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
    // Nothing has been shown elsewhere meanwhile, which another reload would take for where it was left.
    await expect.poll(() => page.evaluate('scrolls')).toEqual([300])
    const come = await holdBack(page, '**/api/v1/auth/session')
    await page.reload({ waitUntil: 'commit' })
    await expect(page.getByRole('main').getByRole('status')).toBeVisible()
    await page.reload({ waitUntil: 'commit' })
    come()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
  })
})
