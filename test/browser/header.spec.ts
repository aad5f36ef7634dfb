import type { Page } from '@playwright/test'
import packageJson from '../../package.json' with { type: 'json' }
import { tools } from '../../src/tools/index.ts'
import { delayRequests, expect, navigate, nextFrame, test } from '../support/page/kit.ts'
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
  // A menu that is still closing would take the click.
  await expect(page.getByRole('menu')).toHaveCount(0)
  await button(page, menu).click()
  await expect(page.getByRole('menu')).toBeVisible()
}

async function close(page: Page, menu: string) {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(button(page, menu)).toBeFocused()
}

/** Opens each highlighted URL and then the other one: two alike in a row would hide that the second is wrong. */
async function expectHighlight(page: Page, menu: string, urls: Record<string, string>) {
  for (const [highlighted, other] of Object.entries(urls)) {
    await navigate(page, highlighted)
    await expect(button(page, menu), highlighted).toHaveAttribute('data-active')
    await navigate(page, other)
    await expect(button(page, menu), other).not.toHaveAttribute('data-active')
  }
}

test.describe('with every role', () => {
  test.use({ signedInAs: 'ada' })

  test('For an administrator', async ({ page, holds, allowConsoleErrors }) => {
    // One of the screens is opened with an unknown email address.
    allowConsoleErrors(/status of 404/)
    await page.goto('/user')
    await expect(button(page, 'Tools')).toBeVisible()

    await holds('The header is 4rem high, even with a larger font size.', async () => {
      expect((await header(page).boundingBox())?.height).toBe(64)
      await page.evaluate("document.documentElement.style.fontSize = '20px'")
      await expect.poll(async () => (await header(page).boundingBox())?.height).toBe(80)
      await page.evaluate("document.documentElement.style.fontSize = ''")
    })
    await holds('The header stays fixed at the top while the screen scrolls.', async () => {
      await expect(header(page)).toHaveCSS('position', 'fixed')
      await page.setViewportSize({ width: 1000, height: 300 })
      await expect(page.getByRole('heading', { name: 'Preferences' })).toBeAttached()
      await page.mouse.move(500, 200)
      await page.mouse.wheel(0, 300)
      await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
      expect((await header(page).boundingBox())?.y).toBe(0)
      await page.setViewportSize({ width: 1280, height: 800 })
    })
    await holds('The logo and the brand, Tool Box in two words, link to Home.', async () => {
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
    await holds(`The user’s name, next to an icon, opens ${ownMenu.join(', ')}.`, async () => {
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
    await holds('Tools is highlighted only at URLs below /tools/.', async () => {
      await expectHighlight(page, 'Tools', {
        '/tools/analyticsbadge': '/',
        '/tools/keepalive/create': '/admin/users',
        '/tools/keepalive/viewlist?page=1': '/user',
      })
    })
    await holds('Admin is highlighted only at URLs that begin with /admin.', async () => {
      await expectHighlight(page, 'Admin', {
        '/admin/users': '/',
        '/admin/user/modify?email=nobody': '/user',
        '/admin/audit': '/tools/keepalive',
      })
    })
    await holds('A menu item is highlighted only at its own URL, not below it.', async () => {
      const menus = {
        Tools: { '/': 'Home', '/tools/keepalive': 'Keep Alive' },
        Admin: { '/admin/users': 'List Users' },
      }
      // First leave for a screen outside this list, so that none of its screens is loading or already open.
      await navigate(page, '/tools/herokudiscordwebhook')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      for (const [menu, paths] of Object.entries(menus))
        for (const [path, name] of Object.entries(paths)) {
          await navigate(page, path)
          await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
          await open(page, menu)
          await expect(current(page)).toHaveText([name])
          await close(page, menu)
        }
      await navigate(page, '/tools/keepalive/create')
      await open(page, 'Tools')
      await expect(current(page)).toHaveCount(0)
      await close(page, 'Tools')
    })
    await holds('A menu item opens its screen.', async () => {
      await open(page, 'Tools')
      await item(page, 'Analytics Badge').click()
      await expect(page).toHaveURL('/tools/analyticsbadge')
      await open(page, admin.username)
      await item(page, 'User Profile').click()
      await expect(page).toHaveURL('/user')
    })
  })

  test('colors the hint of a tool as an error only if an entry fails', async ({ page, instance }) => {
    const paused = await instance.entry('/calm', { status: false })
    await page.goto('/')
    await open(page, 'Tools')
    const hint = item(page, 'Keep Alive').locator('[data-hint]')
    await expect(hint).toHaveAttribute('data-hint', '1 paused')
    await expect(hint).not.toHaveAttribute('data-bad')
    await close(page, 'Tools')
    await instance.call('PATCH', '/api/v1/keepalive', {
      id: paused,
      url: instance.target.url('/down/menu'),
      status: true,
    })
    await open(page, 'Tools')
    await expect(hint).toHaveAttribute('data-hint', '1 failing')
    await expect(hint).toHaveAttribute('data-bad')
  })

  test('opens a menu whose code arrives while its button is pressed', async ({ page }) => {
    const letIn = await delayRequests(page, /menu-popup/)
    await page.goto('/')
    await button(page, 'Tools').hover()
    await page.mouse.down()
    const arrived = page.waitForResponse(/menu-popup/)
    letIn()
    // Run the code and redraw the screen before the pointer is released.
    await page.evaluate(`import(${JSON.stringify((await arrived).url())}).then(() => {})`)
    await nextFrame(page)
    await page.mouse.up()
    await expect(page.getByRole('menu')).toBeVisible()
  })

  test('opens the pressed menu item even if its hint loads before the release @release', async ({ page }) => {
    const letIn = await delayRequests(page, /at-home.*js/)
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

  test('opens a menu by keyboard before its code has loaded @release', async ({ page }) => {
    const letIn = await delayRequests(page, /menu-popup/)
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
  await holds('There is neither an Admin nor a user dropdown.', async () => {
    await expect(header(page).getByRole('button', { expanded: false }).filter({ visible: true })).toHaveText(['Tools'])
  })
  await holds('A Sign in button leads to the sign-in page.', async () => {
    await signIn.click()
    await expect(page).toHaveURL('/auth/signin')
  })
  await test.step('the footer of each screen shows the version', async () => {
    for (const path of ['/', '/auth/error']) {
      await navigate(page, path)
      const foot = `Version ${packageJson.version}DocumentationAPIMIT License`
      await expect(page.getByRole('contentinfo')).toHaveText(foot)
    }
  })
})

test.describe('a page that was scrolled', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 360, height: 500 } })
  test('keeps its position after a reload @release', async ({ page }) => {
    await page.goto('/tools/keepalive/create')
    await expect(page.getByRole('button', { name: 'Request and quiet hours' })).toBeVisible()
    // The router receives the event in the next frame.
    await page.evaluate(
      `new Promise((heard) => {
        addEventListener('scroll', heard, { once: true })
        scrollTo(0, 300)
      })`,
    )
    await page.addInitScript("window.scrolls = []; addEventListener('scroll', () => scrolls.push(scrollY))")
    await page.reload()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
    // No other position was shown in between, which another reload would restore instead.
    await expect.poll(() => page.evaluate('scrolls')).toEqual([300])
    const release = await delayRequests(page, '**/api/v1/auth/session')
    await page.reload({ waitUntil: 'commit' })
    await expect(page.getByRole('main').getByRole('status')).toBeVisible()
    await page.reload({ waitUntil: 'commit' })
    release()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
  })
})
