import type { Locator, Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../support/page/accessibility.ts'
import { createFailingEntry } from '../support/page/entry-tools.ts'
import type { Instance } from '../support/page/instance.ts'
import { expect, test, toasts, waitForPrefetch } from '../support/page/kit.ts'
import * as relay from '../support/page/relay.ts'
import { loadedTexts } from '../support/page/screens.ts'

async function screensWithoutBarriers(page: Page, screens: Record<string, string>) {
  for (const [path, sign] of Object.entries(screens)) {
    await page.goto(path)
    await expect(page.getByText(sign).first()).toBeVisible()
    await page.evaluate('document.fonts.ready')
    expect.soft(await accessibilityViolations(page, 'all'), path).toEqual([])
    await expectFitsPhone(page, path)
  }
}

/** Records texts added to live regions. A region must exist before its text; only an alert may be inserted with it. */
const listen = `
  window.heard = []
  const live = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]'
  const regionOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(live)
  new MutationObserver((changes) => {
    const fresh = new Set(changes.flatMap(({ addedNodes }) => [...addedNodes]))
    const isFresh = (region) => [...fresh].some((node) => node.contains(region))
    for (const { target, addedNodes } of changes)
      for (const node of addedNodes.length > 0 ? addedNodes : [target]) {
        const region = regionOf(node)
        const wasThere = region && !isFresh(region)
        const alerts = [node, ...(node.querySelectorAll?.('[role=alert]') ?? [])].filter((one) => one.role === 'alert')
        if (wasThere || alerts.length > 0) window.heard.push((wasThere ? region : alerts[0]).textContent)
      }
  }).observe(document, { subtree: true, childList: true, characterData: true })`
const announcements = (page: Page) => page.evaluate<string[]>('window.heard')
const expectAnnounced = (page: Page, words: string | RegExp) =>
  expect
    .poll(async () => (await announcements(page)).some((text) => text.match(words)), { message: String(words) })
    .toBe(true)
const save = (page: Page): Locator => page.getByRole('button', { name: 'Save' })

test('signed-out screens are accessible and do not scroll sideways on a phone @release', async ({
  page,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  await screensWithoutBarriers(page, {
    '/': "It's hard to know who anyone is",
    '/auth/signin': 'No sign-in provider is configured.',
    '/auth/signin/user': 'Sign in with Credentials',
    '/auth/setup#token=any': 'no longer works',
    '/auth/setup#token=any&for=password': 'Choose a new password',
    '/auth/forgot': 'Send link',
    '/auth/reset#any': 'Set password',
    '/auth/error?error=AccessDenied': 'Sign in to see this page.',
    '/tools/analyticsbadge': 'Live preview.',
    '/license': 'Permission is hereby granted',
    '/docs': 'Documentation',
    '/nowhere': 'Page Not Found',
    '/_fail': 'SOMETHING FAILED',
    '/_loading': 'Loading',
  })
})

test.describe('signed in', () => {
  test.use({ signedInAs: 'ada' })

  async function withRuns(instance: Instance) {
    const id = await instance.entry('/accessible')
    await expect.poll(() => instance.target.visits('/accessible')).toBeGreaterThan(0)
    return id
  }

  test('screens are accessible and do not scroll sideways on a phone @release', async ({ page, instance }) => {
    await withRuns(instance)
    const bad = await createFailingEntry(instance, 'Billing API')
    const filter = { resources: ['api:release'], statuses: [] }
    const event = await relay.createRelay(instance, instance.discord.webhook(), { filter })
    await screensWithoutBarriers(page, {
      ...loadedTexts,
      '/': 'open incident',
      '/user/confirm-email#any': 'Get messages from ToolBox at this address.',
      '/user/verify-email#any': 'Confirm that ada@example.com is yours.',
      '/tools/keepalive/create': 'Interval',
      '/tools/keepalive/modify': 'Enter your ID',
      [`/tools/keepalive/modify?id=${bad}`]: 'Open incident',
      '/tools/keepalive/viewlist?health=failing': 'Failing for',
      '/tools/keepalive/viewlist': '/accessible',
      '/tools/keepalive/viewlist?url=nothing': 'No rows match your search.',
      '/tools/ghmdinvalidator': 'Readme images that are always fresh',
      '/tools/ghmdinvalidator/create': 'A public GitHub page',
      '/tools/ghmdinvalidator/modify': 'Enter your ID',
      '/admin/user/modify': 'Enter your User Email',
      [relay.tool]: 'Every deploy in your channel, in order',
      [`${relay.tool}/create`]: 'Copy Webhook URL',
      [`${relay.tool}/viewlist`]: 'ada@example.com',
      [`${relay.tool}/modify`]: 'Enter your ID',
      [`${relay.tool}/modify?id=${event.id}`]: 'Waiting for the first delivery',
    })
  })

  test.describe('without a list', () => {
    test.use({ allowedConsoleErrors: [/status of 500/] })
    test('the loading, empty and failed states are accessible @release', async ({ page }) => {
      const { promise: waited, resolve: answer } = Promise.withResolvers<void>()
      let answered = { status: 200, json: { rows: [], total: 0 } as unknown }
      await page.route(/keepalive\/list/, async (route) => {
        await waited
        await route.fulfill(answered)
      })
      await page.goto('/tools/keepalive/viewlist')
      await expect(page.getByText('Loading…')).toBeAttached()
      expect.soft(await accessibilityViolations(page), 'waiting').toEqual([])
      answer()
      await expect(page.getByText('Nothing here yet')).toBeVisible()
      expect.soft(await accessibilityViolations(page), 'empty').toEqual([])
      answered = { status: 500, json: {} }
      await page.reload()
      await expect(page.getByText("Couldn't load this list")).toBeVisible()
      expect.soft(await accessibilityViolations(page), 'failed').toEqual([])
    })
  })

  test('an open menu, an open dialog, a toast and a refused field are accessible', async ({ page, instance }) => {
    const id = await withRuns(instance)
    await page.goto('/tools/keepalive/create')
    await page.getByRole('button', { name: 'Tools' }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    expect.soft(await accessibilityViolations(page), 'menu').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).hover()
    await expect(toasts(page, 'warning')).toBeVisible()
    expect.soft(await accessibilityViolations(page), 'toast').toEqual([])
    await page.getByLabel('URL').fill('ftp://example.com')
    await page.keyboard.press('Control+s')
    await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    expect.soft(await accessibilityViolations(page), 'refused field').toEqual([])
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.goto(`/tools/keepalive/modify?id=${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect.soft(await accessibilityViolations(page), 'dialog').toEqual([])
  })

  test('columns, rows and row actions of a list have accessible names', async ({ page, instance }) => {
    await instance.entry('/named')
    const name = `127.0.0.1:${new URL(instance.target.url('/')).port}/named`
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
  })

  test('copying works without https, and the caret stays where a character is stripped', async ({ page }) => {
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

  test('on a phone one button opens all menus, accessibly', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/user')
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await expect(menu.getByRole('link', { name: 'User Profile' })).toHaveAttribute('aria-current', 'page')
    expect(await accessibilityViolations(page)).toEqual([])
    await menu.getByRole('link', { name: 'Keep Alive' }).click()
    await expect(page).toHaveURL('/tools/keepalive')
    await expect(menu).toHaveCount(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await menu.getByRole('link', { name: 'Edit User' }).click()
    await expect(page).toHaveURL('/admin/user/modify')
  })
})

test.describe('live regions', () => {
  test.use({ signedInAs: 'ada', permissions: ['clipboard-read', 'clipboard-write'] })

  test('a form announces missing and invalid fields, unsaved changes and saving', async ({ page, instance }) => {
    await page.addInitScript(listen)
    await page.goto('/tools/keepalive/create')
    await save(page).focus()
    await expectAnnounced(page, /Missing fields:.*URL/)
    await page.getByLabel('URL').fill('ftp://example.com')
    await expectAnnounced(page, 'Unsaved changes')
    await page.keyboard.press('ControlOrMeta+s')
    await expectAnnounced(page, /https?/)
    await page.getByLabel('URL').fill(instance.target.url('/announced'))
    await save(page).click()
    await expectAnnounced(page, 'Successfully created entry.')
    await expect(page).toHaveURL(/modify\?id=/)
    await page.getByLabel('Active').uncheck()
    await save(page).click()
    await expectAnnounced(page, 'Successfully updated entry.')
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    await page.goto('about:blank')
    await instance.remove(id)
  })

  test('a list announces the number of rows found and the copied text @release', async ({ page, instance }) => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, index) => instance.entry(`/row-${index}`, { status: false })),
    )
    await page.addInitScript(listen)
    await page.goto('/tools/keepalive/viewlist?url=row-')
    await expect(page.getByText('12 rows')).toBeVisible()
    await page.getByRole('button', { name: '>' }).click()
    await expectAnnounced(page, /^2 of 2$/)
    await page.getByLabel('Search URL').fill('row-11')
    await expectAnnounced(page, /^1 row$/)
    await expectAnnounced(page, /^1 of 1$/)
    await page.getByRole('button', { name: 'Copy ID' }).click()
    await expectAnnounced(page, `Copied ${ids[11]}`)
    await page.getByLabel('Search URL').fill('no such row')
    await expectAnnounced(page, /^0 rows$/)
  })

  for (const fetchesAhead of [false, true])
    test.describe(`with toasts ${fetchesAhead ? '' : 'not '}fetched ahead`, () => {
      test.use({ allowedConsoleErrors: [/status of 404/], prefetches: fetchesAhead })
      test('a failure is announced @release', async ({ page }) => {
        await page.addInitScript(listen)
        await page.goto('/tools/keepalive/modify')
        if (fetchesAhead) await waitForPrefetch(page)
        await page.getByLabel('Enter your ID').fill('00000000-0000-4000-8000-000000000000')
        await page.keyboard.press('Enter')
        await expectAnnounced(page, 'Entry not found.')
      })
    })
})
