import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import type { House } from '../../support/page/house.ts'
import { expect, go, test, toasts } from '../../support/page/kit.ts'

test.use({ visitor: 'ada' })

const tool = '/tools/ghmdinvalidator'
const api = '/api/v1/ghmdinvalidator'
const badge = 'https://img.example/build.svg'
const chart = 'https://img.example/chart.png'
const shot = 'https://raw.githubusercontent.com/owner/repository/main/shot.png'
type Entry = { id: string; lastRun: object | null; hookUrl: string }

/** A saved entry whose first run is over. */
async function saved(house: House, url: string): Promise<Entry> {
  const { status, body } = await house.call<Entry>('POST', `${api}/`, { url })
  expect(status).toBe(201)
  const lastRun = async () => (await house.call<Entry>('GET', `${api}?id=${body.id}`)).body.lastRun
  await expect.poll(lastRun, { timeout: 60_000 }).not.toBeNull()
  return body
}
const runs = 'ol[aria-label=Runs] > li'

test('a page is looked at, saved, purged at once, and its images are listed', async ({ page, house }) => {
  house.github.forget()
  const url = house.github.page(
    '/owner/repository',
    [house.github.image(badge), house.github.image(chart), shot],
    'partial',
  )
  await page.goto(`${tool}/create`)
  await expect(page.getByRole('button', { name: 'Preview' })).toBeDisabled()
  await page.getByLabel('URL', { exact: true }).fill(url)
  await page.getByRole('button', { name: 'Preview' }).click()
  const seen = page.getByRole('status').filter({ hasText: 'cached image' })
  await expect(seen).toContainText('A repository with 2 cached images')
  await expect(seen.getByRole('list', { name: 'To purge', exact: true }).getByRole('listitem')).toHaveText([
    badge,
    chart,
  ])
  await expect(seen.getByRole('list', { name: 'Not cached' })).toContainText(shot)
  expect(house.github.purges()).toEqual([])

  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).toHaveURL(/\/modify\?id=[\w-]{36}$/)
  await expect(page.locator(runs)).toHaveCount(1)
  await expect(page.locator(runs)).toContainText('SUCCESS')
  await expect(page.locator(runs)).toContainText('2 purged')
  const images = page.getByRole('list', { name: 'Images' }).getByRole('listitem')
  await expect(images).toHaveText([`${badge}purged`, `${chart}purged`])
  expect(house.github.purges()).toHaveLength(2)

  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(page.locator(runs)).toHaveCount(2)
  await expect(images).toContainText([`${badge}purged recently`, `${chart}purged recently`])
  await house.call('DELETE', `${api}?id=${new URL(page.url()).searchParams.get('id')}`)
})

test.describe('what cannot be', () => {
  test.use({ provoked: [/status of 400/] })
  test('is said at the field: another host, and a page that nobody may see', async ({ page, house }) => {
    await page.goto(`${tool}/create`)
    const form = page.getByRole('region', { name: 'Entry' })
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/owner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(form.getByRole('alert').filter({ hasText: 'Enter a localhost' })).toBeVisible()
    await page.getByLabel('URL', { exact: true }).fill(`${house.github.url}/nobody/nothing`)
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(form.getByRole('alert').filter({ hasText: 'not public, or does not exist' })).toBeVisible()
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/owner')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByRole('alert').filter({ hasText: 'Enter a localhost' })).toBeVisible()
    await expect(page).toHaveURL(`${tool}/create`)
    await page.getByRole('button', { name: 'Reset' }).click()
  })
})

test('a page that has moved is offered under its new address @release', async ({ page, house }) => {
  const to = house.github.page('/owner/new-name', [])
  house.github.pages.on('/owner/old-name', { status: 301, headers: { location: to } })
  const { id } = await saved(house, `${house.github.url}/owner/old-name`)
  await page.goto(`${tool}/modify?id=${id}`)
  await expect(page.locator(runs)).toContainText(`moved to ${to}`)
  await page.getByRole('button', { name: 'Use new URL' }).click()
  await expect(page.getByLabel('URL', { exact: true })).toHaveValue(to)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await expect(page.locator(runs)).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Use new URL' })).toHaveCount(0)
  await house.call('DELETE', `${api}?id=${id}`)
})

test('its hook is shown ready to be pasted, runs it, and gets another address after one more question @release', async ({
  page,
  house,
}) => {
  const { id, hookUrl } = await saved(house, house.github.page('/owner/hooked', []))
  await page.goto(`${tool}/modify?id=${id}`)
  const hook = page.getByRole('region', { name: 'Purge after a release' })
  await expect(hook.getByText(`curl -fsS -X POST ${hookUrl}`, { exact: true })).toBeVisible()
  await expect(hook).toContainText('- name: Refresh the images of the readme')
  const answer = await fetch(hookUrl, { method: 'POST' })
  expect(answer.status).toBe(202)
  expect(await answer.json()).toEqual({ at: expect.any(Number) })

  const renew = hook.getByRole('button', { name: 'Regenerate URL' })
  await renew.click()
  const question = page.getByRole('dialog', { name: 'Regenerate this URL?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  await expect(renew).toBeFocused()
  await expect(hook.getByText(hookUrl, { exact: true })).toBeVisible()
  await renew.click()
  await question.getByRole('button', { name: 'Regenerate URL' }).click()
  await expect(toasts(page, 'success', 'URL regenerated.')).toBeVisible()
  await expect(hook.getByText(hookUrl)).toHaveCount(0)
  expect((await fetch(hookUrl, { method: 'POST' })).status).toBe(404)
  await house.call('DELETE', `${api}?id=${id}`)
})

test('a FAIL says how many of how many and what failed first, and the list has the columns of its kind @release', async ({
  page,
  house,
}) => {
  const broken = 'https://img.example/broken.svg'
  const images = [house.github.image(broken, { status: 404 }), house.github.image('https://img.example/whole.svg')]
  const { id } = await saved(house, house.github.page('/owner/half', images))
  await page.goto(`${tool}/modify?id=${id}`)
  await expect(page.locator(runs)).toContainText('FAIL')
  await expect(page.locator(runs)).toContainText(`1 purged · 1 of 2 images; ${broken}: answered 404`)
  await expect(page.getByRole('list', { name: 'Images' })).toContainText('failed: answered 404')
  await go(page, `${tool}/viewlist`)
  const heads = page.getByRole('columnheader')
  await expect(heads).toHaveText([
    /^Name/,
    /^Last 30 runs/,
    /^Last Run/,
    /^ID/,
    /^URL/,
    /^Status/,
    /^Owner/,
    /^Created Timestamp/,
    /^Actions/,
  ])
  await expect(page.getByRole('row').filter({ hasText: '/owner/half' })).toContainText('Active')
  await house.call('DELETE', `${api}?id=${id}`)
})

test('no screen has a barrier, nor scrolls sideways on a phone, with many images of long names too @release', async ({
  page,
  house,
}) => {
  const images = Array.from({ length: 40 }, (_, index) =>
    house.github.image(`https://img.example/${'long-'.repeat(index % 9 === 0 ? 200 : 1)}${index}.svg`),
  )
  const { id } = await saved(house, house.github.page('/owner/crowded', images, 'app'))
  await page.goto(tool)
  for (const [path, sign] of [
    [tool, 'Readme images that are always fresh'],
    [`${tool}/create`, 'A public GitHub page'],
    [`${tool}/viewlist`, '/owner/crowded'],
    [`${tool}/modify?id=${id}`, 'Images in the last run'],
  ] as const) {
    await go(page, path)
    await expect(page.getByText(sign).first()).toBeVisible()
    if (path.endsWith(id)) {
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByText('To purge (40)').click()
    }
    await page.evaluate('document.fonts.ready')
    expect.soft(await barriers(page), path).toEqual([])
    await fitsPhone(page, path)
  }
  await house.call('DELETE', `${api}?id=${id}`)
})
