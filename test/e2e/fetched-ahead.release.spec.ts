import type { Page } from '@playwright/test'
import { expect, fetchedAhead, test, toasts } from '../support/page/kit.ts'

const phone = { width: 390, height: 844 }

/** Loads Home over such a connection, as the browser describes it, and answers the names of the files it fetched. */
async function homeOver(page: Page, connection: object | undefined) {
  const files: string[] = []
  page.on('request', (request) => files.push(new URL(request.url()).pathname))
  await page.addInitScript(
    `Object.defineProperty(navigator, 'connection', { value: ${JSON.stringify(connection)}, configurable: true })`,
  )
  await page.clock.install()
  await page.goto('/')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await page.clock.runFor(10_000)
  await page.waitForLoadState('networkidle')
  return files
}

for (const connection of [{ saveData: true, effectiveType: '4g' }, { effectiveType: '3g' }, { effectiveType: '2g' }])
  test(`nothing is fetched ahead over ${JSON.stringify(connection)}`, async ({ page }) => {
    const files = await homeOver(page, connection)
    expect(files.filter((path) => /popup|sheet|toaster|modal/.test(path))).toEqual([])
  })

for (const connection of [undefined, { saveData: false, effectiveType: '4g' }])
  test(`menus and toasts are fetched ahead over ${JSON.stringify(connection)}`, async ({ page }) => {
    const files = await homeOver(page, connection)
    for (const part of ['menu-popup', 'sheet', 'toaster'])
      await expect.poll(() => files.some((path) => path.startsWith(`/assets/${part}-`)), { message: part }).toBe(true)
  })

for (const fetchesAhead of [false, true])
  test.describe(fetchesAhead ? 'fetched ahead' : 'fetched when they are needed', () => {
    test.use({ visitor: 'ada', fetchesAhead, provoked: [/status of 404/] })

    test('menus, dialogs, toasts and the menu of a phone work', async ({ page, house }) => {
      const id = await house.entry('/ahead', { status: false })
      await page.goto(`/tools/keepalive/modify?id=${id}`)
      if (fetchesAhead) await fetchedAhead(page, 'menu-popup', 'sheet', 'delete-modal')
      await page.getByRole('button', { name: 'Tools' }).click()
      await page.getByRole('menuitem', { name: 'Keep Alive' }).press('Escape')
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
      await expect(toasts(page, 'success')).toBeVisible()
      await page.setViewportSize(phone)
      await page.getByRole('button', { name: 'Menu' }).click()
      await expect(page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Keep Alive' })).toBeVisible()
    })
  })
