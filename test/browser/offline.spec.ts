import type { BrowserContext, Page } from '@playwright/test'
import { expect, nextFrame, test, toasts, waitForPrefetch } from '../support/page/kit.ts'

test.use({ signedInAs: 'ada', prefetches: true })

/** Waits until a Network Error is the only toast, and closes it. */
async function expectNetworkError(page: Page) {
  await expect(toasts(page)).toHaveText([/Network Error/])
  await expect(toasts(page, 'danger')).toHaveCount(1)
  await toasts(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(toasts(page)).toHaveCount(0)
}

const cuts = [
  { what: 'its script fails to load', missing: /assets\/modify-.*\.js/ },
  { what: 'its styles fail to load', missing: /assets\/.*\.css/ },
]

/** Goes offline and waits until requests fail: the browser may still send some right after the switch. */
async function cutOff(context: BrowserContext, page: Page) {
  await context.setOffline(true)
  const arrives = () => page.evaluate<boolean>("fetch('/healthz').then(() => true, () => false)")
  await expect.poll(arrives).toBe(false)
}

const networkError = (page: Page) => toasts(page, 'danger', 'Network Error')

test('Changes while offline', async ({ page, context, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/ERR_INTERNET_DISCONNECTED/)
  const id = await instance.entry('/offline', { status: false })
  const url = page.getByLabel('URL', { exact: true })
  const typed = instance.target.url('/typed-offline')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await url.fill(typed)
  await waitForPrefetch(page, 'confirm-modal')
  await cutOff(context, page)

  await holds('Save fails immediately with Network Error, and the form keeps its unsaved changes.', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await expectNetworkError(page)
    await expect(url).toHaveValue(typed)
    await expect(page.getByText('Unsaved changes')).toBeVisible()
  })
  await holds('Run now and Delete fail, too; the dialog closes as on every failure.', async () => {
    await page.getByRole('button', { name: 'Run now' }).click()
    await expectNetworkError(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expectNetworkError(page)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  const sent: string[] = []
  page.on('request', (request) => request.method() !== 'GET' && sent.push(request.method()))
  await holds('A link to a screen that cannot load does not ask before leaving.', async () => {
    const prompts: string[] = []
    page.on('dialog', (question) => {
      prompts.push(question.message())
      void question.dismiss()
    })
    await page.getByRole('banner').getByRole('link', { name: 'Tool Box' }).click()
    await expectNetworkError(page)
    await expect(url).toHaveValue(typed)
    expect(prompts).toEqual([])
  })
  await holds('The failed calls are not sent once the connection is back.', async () => {
    await context.setOffline(false)
    await page.evaluate("fetch('/healthz')")
    expect(sent).toEqual([])
    await expect(url).toHaveValue(typed)
  })
  await holds('Then Save works with the typed text.', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
    expect(sent).toEqual(['PATCH'])
    expect((await instance.entries()).find((entry) => entry.id === id)?.url).toBe(typed)
  })
})

test('Links @release', async ({ page, context, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/ERR_INTERNET_DISCONNECTED/)
  await page.goto('/tools/keepalive')
  const create = page.getByRole('main').getByRole('link', { name: 'Create' })
  await expect(create).toBeVisible()
  await waitForPrefetch(page)
  await page.evaluate('window.sameLoad = true')
  await cutOff(context, page)

  await holds('A link keeps the current screen and shows Network Error.', async () => {
    for (const link of [create, page.getByRole('banner').getByRole('link', { name: 'Tool Box' })]) {
      await link.click()
      await expectNetworkError(page)
      await expect(page).toHaveURL('/tools/keepalive')
      await expect(page).toHaveTitle('ToolBox - Keep Alive')
      await expect(create).toBeVisible()
    }
  })
  await holds('Hovering over a link shows no toast.', async () => {
    // Preparing the screen of a link begins with the session.
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/auth/session'))
    await page.getByRole('main').getByRole('link', { name: 'View list' }).hover()
    await failed
    await nextFrame(page)
    await expect(toasts(page)).toHaveCount(0)
  })
  await holds('The same link works once the connection is back, without a reload.', async () => {
    await context.setOffline(false)
    await create.click()
    await expect(page).toHaveTitle('ToolBox - Create Keep Alive')
    expect(await page.evaluate('window.sameLoad')).toBe(true)
  })
})

for (const { what, missing } of cuts)
  test(`a link keeps the current screen while ${what}, and works later @release`, async ({
    page,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/ERR_FAILED|CallError: Network Error/)
    await page.goto('/tools/keepalive')
    const link = page.getByRole('main').getByRole('link', { name: 'Modify' })
    const search = page.getByRole('main').getByLabel('Enter your ID')
    await waitForPrefetch(page)
    await page.evaluate('window.sameLoad = true')
    await page.route(missing, (route) => route.abort())
    await link.click()
    await expect(networkError(page)).toBeVisible()
    await expect(page).toHaveURL('/tools/keepalive')
    await expect(page).toHaveTitle('ToolBox - Keep Alive')
    await expect(link).toBeVisible()
    await page.unrouteAll()
    await link.click()
    await expect(search).toBeVisible()
    await expect(page.locator('link[rel=stylesheet][href*="/modify-"]')).toHaveCount(1)
    expect(await page.evaluate('window.sameLoad')).toBe(true)
    await page.goBack()
    await expect(link).toBeVisible()
  })

test('a page opened while the server is down shows Network Error, and can be retried', async ({
  page,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/ERR_FAILED|status of 404|CallError: Network Error|Error: No tool/)
  await page.route('**/api/**', (route) => route.abort())
  await page.goto('/tools/keepalive/viewlist')
  await expect(page.getByRole('heading', { name: 'Network Error' })).toBeVisible()
  await expect(page).toHaveTitle('ToolBox - Network Error')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Keep Alive', exact: true })).toBeVisible()
})

test('a tool that fails to load leads to the failure screen @release', async ({ page, allowConsoleErrors }) => {
  allowConsoleErrors(/ERR_FAILED|status of 404|CallError: Network Error|Error: No tool/)
  const first = /assets\/index-.*\.js/
  await page.route(first, async (route) => {
    const answer = await route.fetch()
    const program = (await answer.text()).replace(
      /(pages:\(\)=>)Promise\.resolve\([\w$]+\)/,
      "$1Promise.reject(Error('No tool'))",
    )
    expect(program).toContain('No tool')
    // Otherwise the browser caches files of the build permanently.
    await route.fulfill({ body: program, contentType: 'text/javascript', headers: { 'cache-control': 'no-store' } })
  })
  await page.goto('/tools/keepalive')
  await expect(page.getByRole('heading', { name: 'SOMETHING FAILED' })).toBeVisible()
  await expect(page).toHaveTitle('ToolBox - Failed')
  await page.unroute(first)
  await page.getByRole('link', { name: 'Back home' }).click()
  await expect(page).toHaveTitle('ToolBox - Home')
})

test('a page older than the server reloads at the requested screen @release', async ({ page, allowConsoleErrors }) => {
  allowConsoleErrors(/ERR_FAILED|status of 404|CallError: Network Error|Error: No tool/)
  let isOld = true
  await page.goto('/tools/keepalive')
  const link = page.getByRole('main').getByRole('link', { name: 'Create' })
  await expect(link).toBeVisible()
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false
  })
  await page.route(/assets\/create-.*\.js/, (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()))
  await link.click()
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  expect(isOld).toBe(false)
  await page.goBack()
  await expect(link).toBeVisible()
})

test('a part that an update of the server has removed asks for a reload @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  await instance.entry('/removed-part', { status: false })
  await page.route(/assets\/bulk-.*\.js/, (route) => route.continue({ url: `${instance.url}/assets/bulk-old.js` }))
  await page.goto('/tools/keepalive/viewlist')
  await page.getByRole('button', { name: 'More' }).first().click()
  await expect(toasts(page, 'danger', 'ToolBox was updated. Reload this page.')).toBeVisible()
})
