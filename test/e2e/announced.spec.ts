import type { Locator, Page } from '@playwright/test'
import { expect, fetchedAhead, test } from '../support/page/kit.ts'

/**
 * Keeps every text that came into a part of the page which is read out by itself. What holds the text has to be there
 * before it; an alert alone may come together with its text.
 */
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

const heard = (page: Page) => page.evaluate<string[]>('window.heard')
const hears = (page: Page, words: string | RegExp) =>
  expect.poll(async () => (await heard(page)).some((text) => text.match(words)), { message: String(words) }).toBe(true)
const save = (page: Page): Locator => page.getByRole('button', { name: 'Save' })

test.use({ visitor: 'ada', permissions: ['clipboard-read', 'clipboard-write'] })

test.beforeEach(async ({ page }) => {
  await page.addInitScript(listen)
})

test('what a form makes of it is read out: what is missing, what is wrong, what changed, and that it is saved', async ({
  page,
  house,
}) => {
  await page.goto('/tools/keepalive/create')
  await save(page).focus()
  await hears(page, /Missing fields:.*URL/)
  await page.getByLabel('URL').fill('ftp://example.com')
  await hears(page, 'Unsaved changes')
  await page.keyboard.press('ControlOrMeta+s')
  await hears(page, /https?/)
  await page.getByLabel('URL').fill(house.target.url('/announced'))
  await save(page).click()
  await hears(page, 'Successfully created entry.')
  await expect(page).toHaveURL(/modify\?id=/)
  await page.getByLabel('Active').uncheck()
  await save(page).click()
  await hears(page, 'Successfully updated entry.')
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  await page.goto('about:blank')
  await house.remove(id)
})

test('what a list makes of it is read out: how many rows a search leaves, on how many pages, and what was copied @release', async ({
  page,
  house,
}) => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, index) => house.entry(`/row-${index}`, { status: false })),
  )
  await page.goto('/tools/keepalive/viewlist?url=row-')
  await expect(page.getByText('12 rows')).toBeVisible()
  await page.getByRole('button', { name: '>' }).click()
  await hears(page, /^2 of 2$/)
  await page.getByLabel('Search URL').fill('row-11')
  await hears(page, /^1 row$/)
  await hears(page, /^1 of 1$/)
  await page.getByRole('button', { name: 'Copy ID' }).click()
  await hears(page, `Copied ${ids[11]}`)
  await page.getByLabel('Search URL').fill('no such row')
  await hears(page, /^0 rows$/)
  for (const id of ids) await house.remove(id)
})

for (const fetchesAhead of [false, true])
  test.describe(`when it fails, and what shows it is ${fetchesAhead ? '' : 'not '}fetched ahead`, () => {
    test.use({ provoked: [/status of 404/], fetchesAhead })
    test('what failed is read out @release', async ({ page }) => {
      await page.goto('/tools/keepalive/modify')
      if (fetchesAhead) await fetchedAhead(page)
      await page.getByLabel('Enter your ID').fill('00000000-0000-4000-8000-000000000000')
      await page.keyboard.press('Enter')
      await hears(page, 'Entry not found.')
    })
  })
