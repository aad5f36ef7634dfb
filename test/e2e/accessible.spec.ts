import type { Page } from '@playwright/test'
import { barriers, fitsPhone } from '../support/page/barriers.ts'
import type { House } from '../support/page/house.ts'
import { expect, test, toasts } from '../support/page/kit.ts'

async function screensWithoutBarriers(page: Page, screens: Record<string, string>) {
  for (const [path, sign] of Object.entries(screens)) {
    await page.goto(path)
    await expect(page.getByText(sign).first()).toBeVisible()
    await page.evaluate('document.fonts.ready')
    expect.soft(await barriers(page, 'all'), path).toEqual([])
    await fitsPhone(page, path)
  }
}

test.describe('signed out', () => {
  test.use({ provoked: [/status of 404/] })
  test('no screen has a barrier, nor scrolls sideways on a phone @release', async ({ page }) => {
    await screensWithoutBarriers(page, {
      '/': "It's hard to know who anyone is",
      '/auth/signin': 'No sign-in provider is configured.',
      '/auth/signin/user': 'Sign in with Credentials',
      '/auth/setup#token=any': 'no longer works',
      '/auth/setup#token=any&for=password': 'Choose a new password',
      '/auth/forgot': 'Send link',
      '/auth/reset#any': 'Set password',
      '/auth/error?error=AccessDenied': 'Sign in to see this page.',
      '/nowhere': 'Page Not Found',
      '/_fail': 'SOMETHING FAILED',
      '/_loading': 'Loading',
    })
  })
})

test.describe('signed in', () => {
  test.use({ visitor: 'ada' })

  async function withRuns(house: House) {
    const id = await house.entry('/accessible')
    await expect.poll(() => house.target.visits('/accessible')).toBeGreaterThan(0)
    return id
  }

  /** An entry with an open incident. */
  async function inTrouble(house: House) {
    const bad = { name: 'Billing API', url: house.target.url('/down'), notifyAfter: 1 }
    const { id } = (await house.call<{ id: string }>('POST', '/api/v1/keepalive/', bad)).body
    const open = () => house.call<unknown[]>('GET', `/api/v1/incidents?open=true&id=${id}`)
    await expect.poll(async () => (await open()).body.length).toBe(1)
    return id
  }

  test('no screen has a barrier, nor scrolls sideways on a phone @release', async ({ page, house }) => {
    const [id, bad] = [await withRuns(house), await inTrouble(house)]
    await screensWithoutBarriers(page, {
      '/': 'open incident',
      '/user': 'Connected Providers',
      '/user/security': 'Recent Activity',
      '/user/keys': 'No API keys yet.',
      '/user/data': 'Download with secrets',
      '/user/channels': 'No channels yet.',
      '/user/status': 'Your page shows no entries yet.',
      '/user/confirm-email#any': 'Get messages from ToolBox at this address.',
      '/user/verify-email#any': 'Confirm that ada@example.com is yours.',
      '/tools/keepalive': 'Always awake for your visitors',
      '/tools/keepalive/create': 'Interval',
      '/tools/keepalive/modify': 'Enter your ID',
      [`/tools/keepalive/modify?id=${bad}`]: 'Open incident',
      '/tools/keepalive/viewlist?health=failing': 'Failing for',
      '/tools/keepalive/viewlist': '/accessible',
      '/tools/keepalive/viewlist?url=nothing': 'No rows match your search.',
      '/tools/analyticsbadge/badges': 'No badges yet.',
      '/tools/herokudiscordwebhook/modify': 'Enter your ID',
      '/tools/ghmdinvalidator/modify': 'Enter your ID',
      '/tools/ghmdinvalidator/check': 'Page or image URL',
    })
    for (const entry of [id, bad]) await house.remove(entry)
  })

  test.describe('when a list is not there', () => {
    test.use({ provoked: [/status of 500/] })
    test('neither the wait for it, an empty one nor its failure is a barrier @release', async ({ page }) => {
      const { promise: waited, resolve: answer } = Promise.withResolvers<void>()
      let answered = { status: 200, json: { rows: [], total: 0 } as unknown }
      await page.route(/keepalive\/list/, async (route) => {
        await waited
        await route.fulfill(answered)
      })
      await page.goto('/tools/keepalive/viewlist')
      await expect(page.getByText('Loading…')).toBeAttached()
      expect.soft(await barriers(page), 'waiting').toEqual([])
      answer()
      await expect(page.getByText('Nothing here yet')).toBeVisible()
      expect.soft(await barriers(page), 'empty').toEqual([])
      answered = { status: 500, json: {} }
      await page.reload()
      await expect(page.getByText("Couldn't load this list")).toBeVisible()
      expect.soft(await barriers(page), 'failed').toEqual([])
    })
  })

  test('neither an open menu, an open dialog, a toast nor a refused field is a barrier', async ({ page, house }) => {
    const id = await withRuns(house)
    await page.goto('/tools/keepalive/create')
    await page.getByRole('button', { name: 'Tools' }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    expect.soft(await barriers(page), 'menu').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).hover()
    await expect(toasts(page, 'warning')).toBeVisible()
    expect.soft(await barriers(page), 'toast').toEqual([])
    await page.getByLabel('URL').fill('ftp://example.com')
    await page.keyboard.press('Control+s')
    await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    expect.soft(await barriers(page), 'refused field').toEqual([])
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.goto(`/tools/keepalive/modify?id=${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect.soft(await barriers(page), 'dialog').toEqual([])
    await house.remove(id)
  })

  test('a list names its columns, its rows and what is done with one, and a dropdown its options', async ({
    page,
    house,
  }) => {
    const id = await house.entry('/named')
    const name = `127.0.0.1:${new URL(house.target.url('/')).port}/named`
    await page.goto('/tools/keepalive/viewlist')
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
    await expect(row.getByRole('checkbox', { name: `Select ${name}` })).toBeVisible()
    for (const act of ['Copy ID of', 'More for'])
      await expect(row.getByRole('button', { name: `${act} ${name}`, exact: true })).toBeVisible()
    await expect(row.getByRole('link', { name: `Edit ${name}`, exact: true })).toBeVisible()
    const head = page.getByRole('columnheader', { name: 'URL', exact: true })
    const from = await head.getByRole('separator').boundingBox()
    if (!from) throw new Error('The column has no grip.')
    await page.mouse.move(from.x + 4, from.y + 4)
    await page.mouse.down()
    await page.mouse.move(from.x - 60, from.y + 120, { steps: 4 })
    expect(await page.evaluate('String(getSelection())'), 'dragging a column selects no text').toBe('')
    await page.mouse.up()
    await house.remove(id)
    await page.goto('/admin/user/create')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await expect(page.getByRole('listbox', { name: 'Status' })).toBeVisible()
  })

  test('without https texts are copied, too, and the caret stays where a character is left out', async ({ page }) => {
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.goto('/tools/analyticsbadge')
    await page.getByRole('button', { name: 'Copy Markdown' }).click()
    await expect(toasts(page, 'info', 'Copied')).toBeVisible()
    const text = page.getByLabel('Badge Label (optional)')
    await text.fill('')
    await text.press('ControlOrMeta+v')
    await expect(text).toHaveValue(/^Demohttp/)
    const logo = page.getByLabel('Logo (optional)')
    await logo.fill('ithub')
    for (const key of ['Home', 'Space', 'g']) await logo.press(key)
    await expect(logo).toHaveValue('github')
  })

  test('a phone has all menus behind one button, without a barrier', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/user')
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await expect(menu.getByRole('link', { name: 'User Profile' })).toHaveAttribute('aria-current', 'page')
    expect(await barriers(page)).toEqual([])
    await menu.getByRole('link', { name: 'Keep Alive' }).click()
    await expect(page).toHaveURL('/tools/keepalive')
    await expect(menu).toHaveCount(0)
  })
})
