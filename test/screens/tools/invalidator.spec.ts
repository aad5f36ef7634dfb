import type { Page } from '@playwright/test'
import { fakeWeb } from '../../support/fakes/fake-web.ts'
import { expectUsable } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { expect, navigate, nextFrame, test, toasts } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const tool = '/tools/ghmdinvalidator'
const api = '/api/v1/ghmdinvalidator'
const badge = 'https://img.example/build.svg'
const chart = 'https://img.example/chart.png'
const shot = 'https://raw.githubusercontent.com/owner/repository/main/shot.png'
type Entry = { id: string; lastRun: object | null; hookUrl: string }

async function saved(instance: Instance, url: string): Promise<Entry> {
  const { status, body } = await instance.call<Entry>('POST', `${api}/`, { url })
  expect(status).toBe(201)
  const lastRun = async () => (await instance.call<Entry>('GET', `${api}?id=${body.id}`)).body.lastRun
  await expect.poll(lastRun, { timeout: 60_000 }).not.toBeNull()
  return body
}

const runs = 'ol[aria-label=Runs] > li'

/** Serves images that GitHub has copies of. Copies marked `old` differ from the originals. */
async function pictures(instance: Instance) {
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
    instance.github.cached(at('/build.svg'), old),
    instance.github.cached(at('/fine.svg')),
    instance.github.cached(at('/gone.svg'), old),
  ]
  return { web, images, urls: ['/build.svg', '/fine.svg', '/gone.svg'].map(at) }
}

/** Refuses calls for pages named `wrong`, once the returned function is called. */
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
    await (await answered).finished()
    await nextFrame(page)
  }
}

const places = [
  { path: 'check', label: 'Page or image URL', call: 'check', button: 'Compare', answer: 'GitHub caches no images' },
  { path: 'create', label: 'URL', call: 'preview', button: 'Preview', answer: 'nothing to purge' },
]

test('a previewed page is purged when it is saved, and lists its images', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  instance.github.forget()
  const url = instance.github.page(
    '/owner/repository',
    [instance.github.image(badge), instance.github.image(chart), shot],
    'partial',
  )
  await page.goto(`${tool}/create`)
  await expect(page.getByRole('button', { name: 'Preview' })).toBeDisabled()
  await test.step('another host or a private page shows an error at the field', async () => {
    const alert = page.getByRole('region', { name: 'Entry' }).getByRole('alert')
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/owner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(alert.filter({ hasText: 'Enter a localhost' })).toBeVisible()
    await page.getByLabel('URL', { exact: true }).fill(`${instance.github.url}/nobody/nothing`)
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(alert.filter({ hasText: 'not public, or does not exist' })).toBeVisible()
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/owner')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(alert.filter({ hasText: 'Enter a localhost' })).toBeVisible()
    await expect(page).toHaveURL(`${tool}/create`)
  })
  await page.getByLabel('URL', { exact: true }).fill(url)
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('status').filter({ hasText: 'cached image' })
  await expect(preview).toContainText('A repository with 2 cached images')
  await expect(preview.getByRole('list', { name: 'To purge', exact: true }).getByRole('listitem')).toHaveText([
    badge,
    chart,
  ])
  await expect(preview.getByRole('list', { name: 'Not cached' })).toContainText(shot)
  expect(instance.github.purges()).toEqual([])

  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).toHaveURL(/\/modify\?id=[\w-]{36}$/)
  await expect(page.locator(runs)).toHaveCount(1)
  await expect(page.locator(runs)).toContainText('SUCCESS')
  await expect(page.locator(runs)).toContainText('2 purged')
  const images = page.getByRole('list', { name: 'Images' }).getByRole('listitem')
  await expect(images).toHaveText([`${badge}purged`, `${chart}purged`])
  expect(instance.github.purges()).toHaveLength(2)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('owner/repository')
  const figures = page.getByRole('region', { name: 'Success rate and images purged' })
  await expect(figures.getByRole('img', { name: 'Images purged' })).toBeVisible()

  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(page.locator(runs)).toHaveCount(2)
  await expect(images).toContainText([`${badge}purged recently`, `${chart}purged recently`])
  await instance.call('DELETE', `${api}?id=${new URL(page.url()).searchParams.get('id')}`)
})

test('a moved page offers to use its new URL @release', async ({ page, instance }) => {
  const to = instance.github.page('/owner/new-name', [])
  instance.github.pages.on('/owner/old-name', { status: 301, headers: { location: to } })
  const { id } = await saved(instance, `${instance.github.url}/owner/old-name`)
  await page.goto(`${tool}/modify?id=${id}`)
  await expect(page.locator(runs)).toContainText(`moved to ${to}`)
  await page.getByRole('button', { name: 'Use new URL' }).click()
  await expect(page.getByLabel('URL', { exact: true })).toHaveValue(to)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await expect(page.locator(runs)).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Use new URL' })).toHaveCount(0)
})

test('the hook of an entry starts a run, and its URL can be regenerated @release', async ({ page, instance }) => {
  const { id, hookUrl } = await saved(instance, instance.github.page('/owner/hooked', []))
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
})

test('a FAIL shows how many of the images failed, and the first error @release', async ({ page, instance }) => {
  const broken = 'https://img.example/broken.svg'
  const images = [
    instance.github.image(broken, { status: 404 }),
    instance.github.image('https://img.example/whole.svg'),
  ]
  const { id } = await saved(instance, instance.github.page('/owner/half', images))
  await page.goto(`${tool}/modify?id=${id}`)
  await expect(page.locator(runs)).toContainText('FAIL')
  await expect(page.locator(runs)).toContainText(`1 purged · 1 of 2 images; ${broken}: answered 404`)
  await expect(page.getByRole('list', { name: 'Images' })).toContainText('failed: answered 404')
  await navigate(page, `${tool}/viewlist`)
  await expect(page.getByRole('row').filter({ hasText: '/owner/half' })).toContainText('Active')
})

test('the list and long image URLs are accessible without sideways scrolling @release', async ({ page, instance }) => {
  const images = Array.from({ length: 40 }, (_, index) =>
    instance.github.image(`https://img.example/${'long-'.repeat(index % 9 === 0 ? 200 : 1)}${index}.svg`),
  )
  const { id } = await saved(instance, instance.github.page('/owner/crowded', images, 'app'))
  await page.goto(`${tool}/viewlist`)
  for (const [path, sign] of [
    [`${tool}/viewlist`, '/owner/crowded'],
    [`${tool}/modify?id=${id}`, 'Images in the last run'],
  ] as const) {
    await navigate(page, path)
    await expect(page.getByText(sign).first()).toBeVisible()
    if (path.endsWith(id)) {
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByText('To purge (40)').click()
    }
    await page.evaluate('document.fonts.ready')
    await expectUsable(page, path)
  }
})

test('the image check works without an entry, and can be turned into one', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  const { web, images, urls } = await pictures(instance)
  const url = instance.github.page('/owner/old', images)
  await page.goto(tool)
  await page.getByRole('link', { name: 'Why is my image old?' }).click()
  await expect(page.getByRole('heading', { name: 'Why is my image old?' })).toBeVisible()
  const compare = page.getByRole('button', { name: 'Compare' })
  await expect(compare).toBeDisabled()
  await page.getByLabel('Page or image URL').fill(url)
  await compare.click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await expect(answer.getByRole('heading')).toHaveText("GitHub's copies of 1 of 3 images are old")
  // Screen readers announce only the heading, not the whole list.
  const announcement = page.getByRole('status').filter({ hasText: "GitHub's copies" })
  await expect(announcement).toHaveText("GitHub's copies of 1 of 3 images are old")
  await expect(answer.getByRole('listitem')).toContainText([
    `${urls[0]}staleGitHub keeps an older copy: the image's server lets caches keep it for 24 hours (max-age=86400)`,
    `${urls[1]}current`,
    `${urls[2]}faileddead address: answered 404`,
  ])
  await expectUsable(page, 'check')
  await page.getByLabel('Page or image URL').fill(`${instance.github.url}/nobody/nothing`)
  await compare.click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('not public, or does not exist')
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

for (const { path, label, call, button, answer } of places)
  test(`a URL corrected during a check is checked again (${path}) @release`, async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 400/)
    const right = instance.github.page('/owner/right', [])
    await page.goto(`${tool}/${path}`)
    const field = page.getByLabel(label, { exact: true })
    const look = page.getByRole('button', { name: button })
    const refuse = await refuseLate(page, call)
    await field.fill(`${instance.github.url}/owner/wrong`)
    await look.click()
    await expect(page.getByRole('button', { name: /^(?:Comparing|Checking)…$/ })).toBeDisabled()
    await field.fill(right)
    await look.click()
    await expect(page.getByRole('main').getByText(answer).first()).toBeVisible()
    await refuse()
    await expect(page.getByText('This page is not public.')).toHaveCount(0)

    const refuseAgain = await refuseLate(page, call)
    await field.fill(`${instance.github.url}/owner/wrong`)
    await expect(page.getByRole('main').getByText(answer)).toHaveCount(0)
    await look.click()
    await field.fill(right)
    await refuseAgain()
    await expect(look).toBeEnabled()
    await expect(page.getByText('This page is not public.')).toHaveCount(0)
  })

test('an entry that purges only stale images shows both copies of each image @release', async ({ page, instance }) => {
  const { web, images, urls } = await pictures(instance)
  const url = instance.github.page('/owner/stale', images)
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
  await expectUsable(page, 'stale')
  await instance.call('DELETE', `${api}?id=${new URL(page.url()).searchParams.get('id')}`)
  await web.close()
})
