import { expect, test } from '../../support/page/kit.ts'

test.use({ visitor: 'ada', viewport: { width: 360, height: 740 }, provoked: [/status of 500/] })

const list = '/tools/keepalive/viewlist'
test('on a phone a row is its title and state beside its actions, and below them its last runs', async ({
  page,
  house,
}) => {
  const id = await house.entry(`/phone-${'long-'.repeat(40)}`)
  await page.goto(`${list}?id=${id}`)
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })
  await expect(row).toHaveCount(1)
  await expect(row.getByText('Up', { exact: true })).toBeVisible()
  const places = await row.locator(':is(td, th):visible').evaluateAll((cells) =>
    cells.map((cell) => {
      const { left, right, top, bottom } = cell.getBoundingClientRect()
      return { label: cell.getAttribute('data-label'), left, right, top, bottom }
    }),
  )
  expect(places.map(({ label }) => label)).toEqual([null, 'Name', 'Last 30 runs', null])
  const [box, name, runs, actions] = places
  for (const { label, left, right } of places) {
    expect(left, String(label)).toBeGreaterThanOrEqual(0)
    expect(right, String(label)).toBeLessThanOrEqual(360)
  }
  expect(name!.bottom).toBeLessThanOrEqual(runs!.top)
  expect(name!.right).toBeLessThanOrEqual(actions!.left)
  expect(box!.right).toBeLessThanOrEqual(name!.left)
  expect((await row.boundingBox())?.height).toBeLessThan(100)
  await row.getByText('Up', { exact: true }).click()
  await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
  await house.remove(id)
})

test('on a phone searches and order are behind one button, and stay open while they act @release', async ({
  page,
  house,
}) => {
  const ids = [await house.entry('/phone-asleep', { status: false }), await house.entry('/phone-awake')]
  await page.goto(list)
  const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })
  const search = page.getByLabel('Search Status')
  await expect(rows.first()).toBeVisible()
  await expect(search).toBeHidden()
  const fold = page.getByRole('button', { name: 'Search and sort' })
  await fold.click()
  await expect(fold).toHaveAttribute('aria-expanded', 'true')
  await search.fill('inactive')
  // Other tests have left entries of their own here.
  await expect(rows.filter({ hasText: '/phone-awake' })).toHaveCount(0)
  await expect(rows.filter({ hasText: '/phone-asleep' })).toHaveCount(1)
  await expect(fold).toContainText('1 search')
  await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
  await expect(page).toHaveURL(/sort=url/)
  await page.reload()
  await expect(search).toHaveValue('inactive')
  for (const id of ids) await house.remove(id)
})

test('a list that could not be read says so and can be asked again, also while it is asked for anyway @release', async ({
  page,
}) => {
  // Changes by other tests have the list asked for again, too.
  await page.addInitScript("addEventListener('click', () => { window.isPressed = true }, true)")
  await page.route(/keepalive\/list/, async (route) =>
    (await page.evaluate('window.isPressed'))
      ? route.fulfill({ json: { rows: [], total: 0 } })
      : route.fulfill({ status: 500, json: { error: 'Something went wrong.' } }),
  )
  await page.goto(list)
  await expect(page.getByText("Couldn't load this list")).toBeVisible()
  const again = page.getByRole('button', { name: 'Try again' })
  const free = Promise.withResolvers<void>()
  let isAsked = false
  await page.route(/keepalive\/list/, async (route) => {
    isAsked = true
    await free.promise
    await route.fallback()
  })
  // As when its tab is in front again.
  const comeBack = () => page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  await expect.poll(() => comeBack().then(() => isAsked)).toBe(true)
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  await again.click()
  free.resolve()
  await expect(page.getByText('Nothing here yet')).toBeVisible()
})
