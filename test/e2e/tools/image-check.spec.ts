import type { Page } from '@playwright/test'
import { fakeWeb } from '../../support/fakes/fake-web.ts'
import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import type { House } from '../../support/page/house.ts'
import { expect, test } from '../../support/page/kit.ts'

test.use({ visitor: 'ada' })

const tool = '/tools/ghmdinvalidator'
const api = '/api/v1/ghmdinvalidator'
const runs = 'ol[aria-label=Runs] > li'

/** Images of a server that is there, each with a copy at GitHub; `old` ones differ from theirs. */
async function pictures(house: House) {
  const web = await fakeWeb()
  const svg = (color: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><rect width="90" height="20" rx="4" fill="${color}"/></svg>`
  const type = { 'content-type': 'image/svg+xml' }
  const old = { headers: type, body: svg('#999') }
  web.on('/build.svg', { headers: { ...type, 'cache-control': 'max-age=86400' }, body: svg('#2a7') })
  web.on('/fine.svg', { headers: type, body: svg('#27a') })
  web.on('/gone.svg', { status: 404 })
  const at = (path: string) => web.origin + path
  const images = [
    house.github.cached(at('/build.svg'), old),
    house.github.cached(at('/fine.svg')),
    house.github.cached(at('/gone.svg'), old),
  ]
  return { web, images, urls: ['/build.svg', '/fine.svg', '/gone.svg'].map(at) }
}

test('why an image is old is answered without an entry, which can be made of it', async ({ page, house }) => {
  const { web, images, urls } = await pictures(house)
  const url = house.github.page('/owner/old', images)
  await page.goto(tool)
  await page.getByRole('link', { name: 'Why is my image old?' }).click()
  await expect(page.getByRole('heading', { name: 'Why is my image old?' })).toBeVisible()
  const compare = page.getByRole('button', { name: 'Compare' })
  await expect(compare).toBeDisabled()
  await page.getByLabel('Page or image URL').fill(url)
  await compare.click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await expect(answer.getByRole('heading')).toHaveText("GitHub's copies of 1 of 3 images are old")
  // Nobody who hears the page is read the whole list.
  const told = page.getByRole('status').filter({ hasText: "GitHub's copies" })
  await expect(told).toHaveText("GitHub's copies of 1 of 3 images are old")
  await expect(answer.getByRole('listitem')).toContainText([
    `${urls[0]}staleGitHub keeps an older copy: the image's server lets caches keep it for 24 hours (max-age=86400)`,
    `${urls[1]}current`,
    `${urls[2]}faileddead address: answered 404`,
  ])
  expect.soft(await barriers(page)).toEqual([])
  await fitsPhone(page, 'check')
  await page.getByLabel('Page or image URL').fill(images[1] ?? '')
  await compare.click()
  await expect(answer.getByRole('heading')).toHaveText("GitHub's copy is up to date")
  await expect(answer.getByRole('link')).toHaveCount(0)
  await page.getByLabel('Page or image URL').fill(url)
  await compare.click()
  await answer.getByRole('link', { name: 'Keep this page fresh' }).click()
  await expect(page.getByLabel('URL', { exact: true })).toHaveValue(url)
  await page.goto(`${tool}/viewlist`)
  await expect(page.getByRole('link', { name: 'Why is my image old?' })).toBeVisible()
  await web.close()
})

test.describe('an address that is corrected while it is looked at', () => {
  test.use({ provoked: [/status of 400/] })

  /** Refuses to look at pages called `wrong`, once the answer is called. */
  async function refuseLate(page: Page, call: string) {
    const free = Promise.withResolvers<void>()
    await page.route(`**${api}/${call}`, async (route) => {
      if (!route.request().postData()?.includes('wrong')) return route.continue()
      await free.promise
      await route.fulfill({ status: 400, json: { error: 'No.', fields: { url: 'This page is not public.' } } })
    })
    return async () => {
      const answered = page.waitForResponse(`**${api}/${call}`)
      free.resolve()
      await answered
    }
  }

  const places = [
    { path: 'check', label: 'Page or image URL', call: 'check', button: 'Compare', answer: 'GitHub caches no images' },
    { path: 'create', label: 'URL', call: 'preview', button: 'Preview', answer: 'nothing to purge' },
  ]
  for (const { path, label, call, button, answer } of places)
    test(`is looked at anew at once, and gets no answer of the old one (${path}) @release`, async ({ page, house }) => {
      const right = house.github.page('/owner/right', [])
      await page.goto(`${tool}/${path}`)
      const field = page.getByLabel(label, { exact: true })
      const look = page.getByRole('button', { name: button })
      const refuse = await refuseLate(page, call)
      await field.fill(`${house.github.url}/owner/wrong`)
      await look.click()
      await expect(page.getByRole('button', { name: /^(?:Comparing|Checking)…$/ })).toBeDisabled()
      await field.fill(right)
      await look.click()
      await expect(page.getByRole('main').getByText(answer).first()).toBeVisible()
      await refuse()
      await expect(page.getByText('This page is not public.')).toHaveCount(0)

      const refuseAgain = await refuseLate(page, call)
      await field.fill(`${house.github.url}/owner/wrong`)
      await expect(page.getByRole('main').getByText(answer)).toHaveCount(0)
      await look.click()
      await field.fill(right)
      await refuseAgain()
      await expect(look).toBeEnabled()
      await expect(page.getByText('This page is not public.')).toHaveCount(0)
    })
})

test.describe('an address that cannot be checked', () => {
  test.use({ provoked: [/status of 400/] })
  test('is refused beside the field @release', async ({ page, house }) => {
    await page.goto(`${tool}/check`)
    await page.getByLabel('Page or image URL').fill(`${house.github.url}/nobody/nothing`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toContainText('not public, or does not exist')
  })
})

test('an entry that purges only what is stale shows both copies of each image @release', async ({ page, house }) => {
  const { web, images, urls } = await pictures(house)
  const url = house.github.page('/owner/stale', images)
  await page.goto(`${tool}/create`)
  await page.getByLabel('URL', { exact: true }).fill(url)
  await page.getByText('Only stale images').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator(runs)).toContainText('1 purged · 1 current, 1 dead')
  const rows = page.getByRole('list', { name: 'Images' }).getByRole('listitem')
  await expect(rows).toContainText([`${urls[0]}purged`, `${urls[1]}current`, `${urls[2]}faileddead address`])
  for (const [row, name] of [
    [0, "GitHub's copy"],
    [0, 'The image'],
    [1, 'The image'],
  ] as const) {
    const picture = rows.nth(row).getByRole('img', { name })
    await picture.scrollIntoViewIfNeeded()
    await expect(picture).toHaveJSProperty('naturalWidth', 90)
  }
  await expect(rows.nth(2)).toContainText('Not fetched')
  await expect(page.getByRole('radio', { name: 'Only stale images' })).toBeChecked()
  expect.soft(await barriers(page)).toEqual([])
  await fitsPhone(page, 'stale')
  await house.call('DELETE', `${api}?id=${new URL(page.url()).searchParams.get('id')}`)
  await web.close()
})
