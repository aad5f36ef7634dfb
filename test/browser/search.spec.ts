import type { Page } from '@playwright/test'
import { tools } from '../../src/tools/index.ts'
import { accessibilityViolations, expectUsable } from '../support/page/accessibility.ts'
import { delayRequests, expect, nextFrame, test } from '../support/page/kit.ts'

const panel = (page: Page) => page.getByRole('dialog', { name: 'Find anything' })
const field = (page: Page) => page.getByRole('combobox', { name: 'Find anything' })
const active = (page: Page) => panel(page).getByRole('option', { selected: true })

/** Opens the search by its shortcut, which works only once its button is visible. */
async function openSearch(page: Page) {
  await expect(page.getByRole('button', { name: 'Find anything' })).toBeVisible()
  await page.keyboard.press('Control+k')
}

test.describe('with every role', () => {
  test.use({ signedInAs: 'ada' })

  test('Ctrl+K searches entries by URL, and Enter opens the result', async ({ page, instance }) => {
    const id = await instance.entry('/found-by-search')
    await page.goto('/user')
    await openSearch(page)
    await expect(field(page)).toBeFocused()
    await expect(active(page)).toHaveText('Home')
    await field(page).fill('Found-By')
    const hit = panel(page).getByRole('option', { name: /found-by-search/ })
    await expect(hit.locator('b')).toHaveText('found-by')
    await expect(active(page)).toContainText('/found-by-search')
    await expect(panel(page).getByRole('status')).toHaveText('1 result')
    await expectUsable(page, 'search')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
    await expect(panel(page)).toHaveCount(0)

    await page.getByRole('button', { name: 'Find anything' }).click()
    await expect(field(page)).toHaveValue('')
    await field(page).fill(id)
    await expect(panel(page).getByRole('option')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(panel(page)).toHaveCount(0)
  })

  test('Enter opens a result for the typed text, not one of the previous search', async ({ page, instance }) => {
    await instance.entry('/alpha-found')
    const id = await instance.entry('/beta-found')
    await page.goto('/user')
    await openSearch(page)
    await field(page).fill('alpha-found')
    await expect(active(page)).toContainText('/alpha-found')
    const answer = await delayRequests(page, '**/api/v1/search?*')
    const sent = page.waitForRequest('**/api/v1/search?*')
    await field(page).fill('beta-found')
    await page.keyboard.press('Enter')
    await sent
    await page.keyboard.press('Enter')
    answer()
    await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
    await expect(panel(page)).toHaveCount(0)
  })

  test('Enter opens nothing if the search is closed or fails meanwhile', async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 400/)
    await instance.entry('/gamma-found')
    await page.goto('/user')
    await openSearch(page)
    await expect(field(page)).toBeFocused()
    // The panel stays on screen while it fades.
    await page.evaluate(
      `document.querySelector('[role=dialog]').style.setProperty('transition', 'opacity 60s', 'important')`,
    )
    const answer = await delayRequests(page, '**/api/v1/search?*')
    const sent = page.waitForRequest('**/api/v1/search?*')
    await field(page).fill('gamma-found')
    await page.keyboard.press('Enter')
    await sent
    await page.keyboard.press('Escape')
    answer()
    await expect(page.locator('[role=option]')).toContainText('/gamma-found')
    await expect(page).toHaveURL('/user')

    await page.unrouteAll()
    await page.route('**/api/v1/search?*', (route) => route.fulfill({ status: 400, json: { error: 'No.' } }))
    // Nor does it wait for other results once it says that some couldn't be loaded.
    await delayRequests(page, '**/api/v1/admin/users?*')
    await page.reload()
    await openSearch(page)
    await field(page).fill('keep alive')
    await page.keyboard.press('Enter')
    await expect(panel(page).getByRole('status')).toHaveText("Some results couldn't be loaded.")
    await expect(active(page)).toHaveText('Keep Alive')
    await expect(page).toHaveURL('/user')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/tools/keepalive')
  })

  test('text typed before the search has loaded ends up in its field', async ({ page }) => {
    const send = await delayRequests(page, '**/assets/search-panel-*.js')
    await page.goto('/tools/keepalive/create')
    const url = page.getByLabel('URL')
    await url.fill('https://app.example.com')
    await openSearch(page)
    await page.keyboard.type('given up')
    await page.keyboard.press('Escape')
    await page.keyboard.type('/')
    await expect(url).toHaveValue('https://app.example.com/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('gra')
    send()
    await expect(field(page)).toBeFocused()
    await page.keyboard.type('ce')
    await expect(field(page)).toHaveValue('grace')
    await expect(active(page)).toContainText('grace@example')
    await page.keyboard.press('Escape')
    await expect(panel(page)).toHaveCount(0)
    await expect(url).toBeFocused()
    await expect(url).toHaveValue('https://app.example.com/')

    await test.step('Ctrl+S in the search does not save the form below, and Ctrl+K leaves it unchanged', async () => {
      await page.keyboard.press('Control+k')
      await expect(field(page)).toBeFocused()
      const sent: string[] = []
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
      await page.keyboard.press('Control+s')
      await page.keyboard.press('Escape')
      await expect(url).toBeFocused()
      await expect(url).toHaveValue('https://app.example.com/')
      await openSearch(page)
      await expect(field(page)).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(url).toBeFocused()
      expect(sent).toEqual([])
    })
  })

  test('the search finds pages and users, too, and arrow keys move through the results @release', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('button', { name: 'Find anything' }).click()
    await field(page).fill('grace')
    await expect(panel(page).getByRole('group', { name: 'Users' }).getByRole('option')).toContainText('grace@example')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/admin/user/modify?email=grace%40example.com')
    // The search doesn't open while a dialog is still closing.
    await expect(panel(page)).toHaveCount(0)

    await page.keyboard.press('Control+k')
    await field(page).fill('relay list')
    await expect(panel(page).getByText('No matches')).toBeVisible()
    const options = panel(page).getByRole('group', { name: 'Pages' }).getByRole('option')
    for (const own of ['Analytics Badge: Your Badges', 'GitHub Media Invalidator: Why is my image old?']) {
      await field(page).fill(own.slice(-12))
      await expect(options).toHaveText([own])
    }
    await field(page).fill('keep alive')
    await expect(options).toHaveText(['Keep Alive', /View list/, /Create/, /Modify/])
    await page.keyboard.press('ArrowUp')
    await expect(active(page)).toHaveText('Keep Alive: Modify')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(field(page)).toHaveAttribute('aria-activedescendant', (await options.nth(1).getAttribute('id')) ?? '')
    await options.nth(2).click()
    await expect(page).toHaveURL('/tools/keepalive/create')
  })

  test("an Enter that ends an input method's composition opens and saves nothing @release", async ({ page }) => {
    const browser = await page.context().newCDPSession(page)
    const compose = (text: string) =>
      browser.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    /** Sends Enter by name, but with key code 229, as input methods do. In Safari a letter follows. */
    const endComposition = async (text: string, letter?: string) => {
      const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229, ...(letter && { text: letter }) }
      await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', ...enter })
      await browser.send('Input.insertText', { text })
      await browser.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
    }
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.goto('/tools/keepalive/create')
    const url = page.getByLabel('URL')
    await url.fill('https://app.example.com/')
    await compose('にほん')
    await endComposition('日本', '\r')
    await expect(url).toHaveValue('https://app.example.com/日本')
    await page.getByRole('button', { name: 'Reset' }).click()
    await openSearch(page)
    await expect(field(page)).toBeFocused()
    await compose('home')
    await expect(active(page)).toHaveText('Home')
    await endComposition('home')
    await expect(field(page)).toHaveValue('home')
    await expect(page).toHaveURL('/tools/keepalive/create')
    expect(sent).toEqual([])
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/')
  })

  test("a tool's card and its menu link to its list and to a new entry", async ({ page }) => {
    await page.goto('/')
    const card = page.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
    await card.getByRole('link', { name: 'All entries' }).click()
    await expect(page).toHaveURL('/tools/keepalive/viewlist')
    await page.getByRole('button', { name: 'Tools' }).click()
    const items = page.getByRole('menuitem')
    const plain = tools.length + 1
    await expect(items).toHaveCount(plain)
    await expect(page.getByRole('menu').getByTitle('New entry').first()).toBeVisible()
    await items.filter({ hasText: 'Keep Alive' }).hover()
    await expect(items).toHaveCount(plain + 2)
    expect.soft(await accessibilityViolations(page), 'menu').toEqual([])
    await page.getByRole('menuitem', { name: 'New entry' }).click()
    await expect(page).toHaveURL('/tools/keepalive/create')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('menu')).toHaveCount(0)

    // A screen that loads later must not take the focus from an open menu.
    const arrive = await delayRequests(page, '**/assets/screens-*.js')
    await page.getByRole('link', { name: 'Tool Box' }).click()
    const other = page.getByRole('listitem').filter({ hasText: 'GitHub Media Invalidator' })
    await other.getByRole('link', { name: 'All entries' }).click()
    await page.getByRole('button', { name: 'Tools' }).press('Enter')
    const home = page.getByRole('menuitem', { name: 'Home', exact: true })
    await expect(home).toBeFocused()
    arrive()
    await expect(page).toHaveTitle('ToolBox - GitHub Media Invalidator List')
    await nextFrame(page)
    await expect(home).toBeFocused()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    await expect(page.getByRole('menuitem', { name: 'All entries' })).toBeFocused()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('menuitem', { name: 'Keep Alive', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
  })

  test.describe('on a phone', () => {
    test.use({ viewport: { width: 360, height: 740 } })
    test('the menu links to the search, to lists and to new entries @release', async ({ page }) => {
      const letIn = await delayRequests(page, /search-panel-.*js$/)
      await page.goto('/')
      await page.getByRole('button', { name: 'Menu' }).click()
      const menu = page.getByRole('dialog', { name: 'Menu' })
      expect.soft(await accessibilityViolations(page), 'menu').toEqual([])
      await menu.getByRole('button', { name: 'Find anything' }).click()
      await expect(menu).toHaveCount(0)
      await expect(page.getByRole('textbox', { name: 'Find anything' })).toBeFocused()
      await page.keyboard.type('keep')
      letIn()
      await expect(field(page)).toBeFocused()
      await expect(field(page)).toHaveValue('keep')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Menu' }).click()
      await menu
        .getByRole('listitem')
        .filter({ hasText: 'Keep Alive' })
        .getByRole('link', { name: 'New entry' })
        .click()
      await expect(page).toHaveURL('/tools/keepalive/create')
    })
  })
})

test.describe('without a role', () => {
  test.use({ signedInAs: 'grace' })
  test('the search lists only pages that the user may open @release', async ({ page }) => {
    await page.goto('/user')
    await page.getByRole('button', { name: 'Find anything' }).click()
    await expect(panel(page).getByRole('option')).toHaveText([
      'Home',
      'Analytics Badge',
      'Analytics Badge: Your Badges',
      'User Profile',
      'Security',
      'API keys',
      'Import and export',
      'Channels',
    ])
  })
})
