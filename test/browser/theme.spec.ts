import type { Page } from '@playwright/test'
import { delayRequests, expect, nextFrame, test, toasts } from '../support/page/kit.ts'
import { createRelay, deliver } from '../support/page/relay.ts'
import { create, select } from '../support/page/users.ts'

const stored = (page: Page) => page.evaluate("localStorage.getItem('theme')")
const root = (page: Page) => page.locator('html')
const dark = /(^|\s)dark(\s|$)/
const choice = (page: Page, name: string) => page.getByRole('banner').getByRole('radio', { name: `${name} theme` })

/** Records each animation of more than 10 ms with its duration, from the start of the page. */
const watchMotion = `
  window.moved = []
  const end = (animation) => Number(animation.effect.getComputedTiming().endTime)
  const look = () => {
    for (const animation of document.getAnimations())
      if (end(animation) > 10) window.moved.push(animation.constructor.name + ' ' + end(animation) + ' of ' + animation.effect.target.className)
    requestAnimationFrame(look)
  }
  look()`
const moved = (page: Page) => page.evaluate('new Promise(requestAnimationFrame).then(() => [...new Set(window.moved)])')

/** Triggers each animation and then calls `look` with its name. */
async function walk(page: Page, id: string, look: (what: string) => Promise<void>) {
  await page.goto('/_loading')
  await expect(page.getByRole('main').getByRole('status')).toBeVisible()
  await look('the loading logo')
  await page.goto(create)
  await page.getByRole('button', { name: 'Tools' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await look('a menu')
  await select(page, 'Tags').click()
  await expect(page.getByRole('option')).toHaveCount(3)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await look('a dropdown')
  await page.getByRole('button', { name: 'Save' }).hover()
  await expect(toasts(page, 'warning')).toBeVisible()
  await page.getByRole('button', { name: 'Close notification' }).click()
  await expect(toasts(page)).toHaveCount(0)
  await look('a toast')
  await page.getByRole('banner').getByRole('link', { name: 'Tool Box' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await page.getByRole('list', { name: 'Tools' }).getByRole('link').first().hover()
  await look('another page')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+s')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await look('a dialog')
}

test('The theme', async ({ page, context, holds }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.getByRole('banner')).toBeVisible()

  await holds('The first visit stores system in local storage under the key theme.', async () => {
    expect(await stored(page)).toBe('system')
    await expect(choice(page, 'System')).toBeChecked()
  })
  await holds('System follows the operating system, even when that changes.', async () => {
    await expect(root(page)).toHaveClass(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('The header offers system, light and dark, one of them selected.', async () => {
    await expect(page.getByRole('banner').getByRole('radio')).toHaveCount(3)
    for (const name of ['System', 'Light', 'Dark']) await expect(choice(page, name)).toHaveCount(1)
    await expect(page.getByRole('banner').getByRole('radio', { checked: true })).toHaveCount(1)
  })
  await holds('Dark adds the class dark to the root of the page and is stored.', async () => {
    await page.getByTitle('Dark theme').click()
    await expect(root(page)).toHaveClass(dark)
    expect(await stored(page)).toBe('dark')
  })
  await holds('Light removes the class dark, even if the operating system is dark.', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByTitle('Light theme').click()
    await expect(root(page)).not.toHaveClass(dark)
    expect(await stored(page)).toBe('light')
  })
  await holds('A choice survives a reload.', async () => {
    await page.reload()
    await expect(choice(page, 'Light')).toBeChecked()
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('A choice reaches the other tabs of the browser.', async () => {
    const other = await context.newPage()
    await other.goto('/auth/signin')
    await page.getByTitle('Dark theme').click()
    await expect(root(other)).toHaveClass(dark)
    await other.close()
  })
  await holds('System can be selected again.', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByTitle('System theme').click()
    expect(await stored(page)).toBe('system')
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('An unknown stored theme counts as system and is replaced.', async () => {
    await page.evaluate("localStorage.setItem('theme', 'purple')")
    await page.reload()
    await expect(choice(page, 'System')).toBeChecked()
    expect(await stored(page)).toBe('system')
  })
})

test('the first frame already has the right theme, so nothing flashes @release', async ({ page }) => {
  await page.addInitScript(`
    const look = () => {
      if (!document.body) return requestAnimationFrame(look)
      window.firstFrame = { dark: document.documentElement.classList.contains('dark'), built: !!document.querySelector('main') }
    }
    requestAnimationFrame(look)`)
  // Delay the scripts, so that only the HTML can paint first.
  const program = await delayRequests(page, '**/assets/*.js')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/', { waitUntil: 'commit' })
  await expect.poll(() => page.evaluate('window.firstFrame')).toEqual({ dark: true, built: false })
  program()
  await expect(page.getByRole('main')).toBeVisible()
})

test.describe('motion', () => {
  test.use({ signedInAs: 'ada' })

  test('with reduced motion a theme changes without transitions @release', async ({ page }) => {
    await page.addInitScript("window.began = 0; addEventListener('transitionrun', () => window.began++, true)")
    await page.goto(create)
    await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
    await page.evaluate('window.began = 0')
    await page.getByRole('radio', { name: 'Dark theme' }).check({ force: true })
    await expect(page.locator('html')).toHaveClass('dark')
    await nextFrame(page)
    expect(await page.evaluate('window.began')).toBe(0)
  })

  for (const { wish, reducedMotion } of [
    { wish: 'nothing moves with reduced motion', reducedMotion: 'reduce' },
    { wish: 'everything moves otherwise', reducedMotion: 'no-preference' },
  ] as const)
    test.describe(`prefers-reduced-motion: ${reducedMotion}`, () => {
      test.use({ reducedMotion })
      test(`${wish}: logo, menus, dropdowns, toasts, pages and dialogs @release`, async ({ page, instance }) => {
        const id = await instance.entry('/still')
        await page.addInitScript(watchMotion)
        await walk(page, id, async (what) => {
          const found = await moved(page)
          if (reducedMotion === 'reduce') expect.soft(found, what).toEqual([])
          else expect.soft(found, what).not.toEqual([])
          await page.evaluate('window.moved = []')
        })
      })
    })
})

test.describe('on paper', () => {
  test.use({ signedInAs: 'ada', colorScheme: 'dark' })

  test('screens are light and omit all controls', async ({ page, instance }) => {
    const id = await instance.entry('/on-paper')
    await page.goto(`/tools/keepalive/modify?id=${id}`)
    await expect(page.getByRole('heading', { name: 'Run History' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('heading', { name: 'Run History' })).toBeVisible()
    await expect(page.getByRole('button').filter({ visible: true })).toHaveCount(0)
    await expect(page.getByRole('banner').filter({ visible: true })).toHaveCount(0)
    const ink = () => page.evaluate<string>('getComputedStyle(document.body).color')
    const onPaper = await ink()
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    await expect.poll(ink).toBe(onPaper)

    await page.goto('/tools/keepalive/viewlist')
    await expect(page.getByRole('rowheader', { name: '/on-paper' })).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('rowheader', { name: '/on-paper' })).toBeVisible()
    await expect(page.getByRole('textbox').filter({ visible: true })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Create' }).filter({ visible: true })).toHaveCount(0)
    await instance.remove(id)

    const relay = await createRelay(instance, instance.discord.webhook())
    await deliver(relay, 1)
    await page.goto(`/tools/herokudiscordwebhook/modify?id=${relay.id}`)
    await expect(page.getByLabel('Search events')).toHaveCount(1)
    await expect(page.getByRole('list', { name: 'Runs' })).toContainText('SUCCESS')
    await expect(page.getByRole('searchbox').filter({ visible: true })).toHaveCount(0)
  })
})
