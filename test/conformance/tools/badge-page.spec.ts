import type { Page } from '@playwright/test'
import { expect, test, toasts } from '../../support/page/kit.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const tool = '/tools/analyticsbadge'
const badge = '/api/v1/analyticsbadge'
const tag = (page: Page) => page.getByLabel('Analytics Tag')
const label = (page: Page) => page.getByLabel('Badge Label (optional)')
const url = (page: Page) => page.getByLabel('URL', { exact: true })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' }).getByRole('img')
/** The picture has arrived and is one. */
const isDrawn = (page: Page) =>
  preview(page).evaluate((image: object) => 'naturalWidth' in image && Number(image.naturalWidth) > 0)

test('For a visitor', async ({ page, house, holds }) => {
  const at = (path: string) => `${house.url}${badge}/${path}`
  const headersCard = page.getByRole('region', { name: 'Headers' })
  await page.goto(tool)

  await holds("Anybody may see it; its title is 'ToolBox - Analytics Badge', and it explains itself.", async () => {
    await expect(page).toHaveURL(tool)
    await expect(page).toHaveTitle('ToolBox - Analytics Badge')
    await expect(page.getByRole('main')).toContainText('An image that counts its views.')
  })
  await holds('It begins with a demo: tag demo, label Demo.', async () => {
    await expect(tag(page)).toHaveValue('demo')
    await expect(label(page)).toHaveValue('Demo')
  })
  await holds(
    'The URL is the path of badges, the tag, and the label as the query text; it is there to read.',
    async () => {
      await expect(url(page)).toHaveValue(at('demo?text=Demo'))
      await expect(url(page)).not.toBeEditable()
    },
  )
  await holds('A preview shows the picture itself.', async () => {
    await expect(preview(page)).toHaveAttribute('src', `${badge}/demo?text=Demo`)
    await expect.poll(() => isDrawn(page)).toBe(true)
  })
  await holds('Of a tag, all but letters, digits and underscores is stripped as it is typed.', async () => {
    await tag(page).fill('')
    await tag(page).pressSequentially('m-y é.t/a?g_1!')
    await expect(tag(page)).toHaveValue('mytag_1')
    await expect(url(page)).toHaveValue(at('mytag_1?text=Demo'))
  })
  await holds('An emptied tag is ignored: the one before stays, and the next letter takes its place.', async () => {
    await tag(page).fill('')
    await expect(tag(page)).toHaveValue('mytag_1')
    await expect(url(page)).toHaveValue(at('mytag_1?text=Demo'))
    await tag(page).pressSequentially('next')
    await expect(tag(page)).toHaveValue('next')
  })
  await holds(
    'Of a label, all but letters, digits, hyphens, underscores and spaces is stripped as typed.',
    async () => {
      await label(page).fill('')
      await label(page).pressSequentially('Seen by: <you> - all_1?')
      await expect(label(page)).toHaveValue('Seen by you - all_1')
    },
  )
  await holds('The label is encoded in the URL, and the preview follows.', async () => {
    await expect(url(page)).toHaveValue(at('next?text=Seen%20by%20you%20-%20all_1'))
    await expect(preview(page)).toHaveAttribute('src', `${badge}/next?text=Seen%20by%20you%20-%20all_1`)
    await expect.poll(() => isDrawn(page)).toBe(true)
  })
  await holds('Without a label there is no query.', async () => {
    await label(page).fill('')
    await expect(url(page)).toHaveValue(at('next'))
  })
  await holds('Copy to Clipboard copies the URL and says so, by the keyboard too.', async () => {
    await url(page).press('Tab')
    await expect(page.getByRole('button', { name: 'Copy to Clipboard' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(toasts(page, 'info', `Copied ${at('next')}`)).toBeVisible()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(at('next'))
  })
  await holds(
    'It documents X-Views, the total view count, and X-Lastview, the timestamp of the last view.',
    async () => {
      await expect(headersCard.locator('dt')).toHaveText(['X-Views', 'X-Lastview'])
      await expect(headersCard.locator('dd').nth(0)).toContainText('Total view count')
      await expect(headersCard.locator('dd').nth(1)).toContainText('Timestamp of the last view')
    },
  )
  await holds('The picture comes with both headers, as documented.', async () => {
    const before = Date.now()
    const answer = await fetch(at('conforming'))
    expect(answer.headers.get('content-type')).toContain('image/svg+xml')
    expect(answer.headers.get('x-views')).toBe('1')
    const lastView = Date.parse(answer.headers.get('x-lastview') ?? '')
    expect(lastView).toBeGreaterThanOrEqual(before)
    expect(lastView).toBeLessThanOrEqual(Date.now())
  })
})
