import type { Page } from '@playwright/test'
import { expect, test, toasts } from '../support/page/kit.ts'
import { create, select } from '../support/page/users.ts'

/** Keeps what moves for longer than anybody could see (ms), from the start, with how long it would. */
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

test.use({ visitor: 'ada' })

test.describe('another theme', () => {
  test.use({ reducedMotion: 'reduce' })
  test('is there at once, all of it, for whoever asked for less motion', async ({ page }) => {
    await page.addInitScript("window.began = 0; addEventListener('transitionrun', () => window.began++, true)")
    await page.goto(create)
    await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
    await page.evaluate('window.began = 0')
    await page.getByRole('radio', { name: 'Dark theme' }).check({ force: true })
    await expect(page.locator('html')).toHaveClass('dark')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await page.evaluate('window.began')).toBe(0)
  })
})

/** Each thing that moves, by its name. */
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

for (const { wish, reducedMotion } of [
  { wish: 'is still for whoever asked for less motion', reducedMotion: 'reduce' },
  { wish: 'moves for everybody else', reducedMotion: 'no-preference' },
] as const)
  test.describe(`under the wish ${reducedMotion}`, () => {
    test.use({ reducedMotion })
    test(`what ${wish}: logo, menus, dropdowns, toasts, pages and dialogs`, async ({ page, house }) => {
      const id = await house.entry('/still')
      await page.addInitScript(watchMotion)
      await walk(page, id, async (what) => {
        const found = await moved(page)
        if (reducedMotion === 'reduce') expect.soft(found, what).toEqual([])
        else expect.soft(found, what).not.toEqual([])
        await page.evaluate('window.moved = []')
      })
      await house.remove(id)
    })
  })
