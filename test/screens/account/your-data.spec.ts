import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { delayRequests, expect, goLive, navigate, signInAs, test, toasts } from '../../support/page/kit.ts'
import { createTestUser, expireReauthentication } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'

async function signInNewcomer(context: BrowserContext, instance: Instance, name: string) {
  const user = await createTestUser(instance, name, { Tools: 1 })
  await signInAs(context, instance.url, name)
  return user
}

async function openImport(page: Page, context: BrowserContext, instance: Instance, name: string) {
  await signInNewcomer(context, instance, name)
  await page.goto('/user/data')
  await card(page).getByRole('button', { name: 'Import' }).click()
}

const card = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import entries' })
const rows = (page: Page) => dialog(page).getByRole('row')
const list = async (page: Page) =>
  (await (await page.request.get('/api/v1/keepalive/list')).json()) as { id: string; url: string; name: string }[]

async function download(page: Page, name: string) {
  const saved = page.waitForEvent('download')
  await card(page).getByRole('button', { name, exact: true }).click()
  const file = await saved
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

test('Show entries lists the imported entries even if other lines were refused', async ({
  page,
  context,
  instance,
}) => {
  await openImport(page, context, instance, 'brings-little')
  const table = `tool,url\nghmdinvalidator,a\nghmdinvalidator,b\nkeepalive,${instance.target.url('/little')}\n`
  await dialog(page).getByLabel('Or paste its content').fill(table)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(rows(page).nth(1)).toContainText('GitHub Media Invalidator')
  await dialog(page).getByRole('button', { name: 'Import the rest' }).click()
  await toasts(page, 'success', 'Created 1 entry.').getByRole('button', { name: 'Show entries' }).click()
  await expect(page).toHaveURL('/tools/keepalive/viewlist?sort=-createdAt')
})

test('an import skips invalid lines, and an export can be reimported', async ({
  page,
  context,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  await openImport(page, context, instance, 'brings-data')
  const paste = dialog(page).getByLabel('Or paste its content')
  // The response to a canceled preview must not reopen it.
  const answer = await delayRequests(page, '**/import?*')
  await paste.fill(instance.target.url('/given-up'))
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  const answered = page.waitForResponse('**/import?*')
  answer()
  await answered
  await card(page).getByRole('button', { name: 'Import' }).click()
  await expect(paste).toHaveValue('')
  await paste.fill('{ "monitorList": [')
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page).getByText('Line 1: The file ends too early.')).toBeVisible()
  expect.soft(await accessibilityViolations(page), 'an invalid file').toEqual([])

  const good = instance.target.url('/brought')
  await paste.fill(`# Mine\n${good}\nexample.com\n`)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page).getByRole('status')).toHaveText('1 entry will be created and 1 line is refused.')
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // The reason for a refusal spans the width of its row.
  const why = dialog(page).getByRole('row').nth(1).getByRole('cell').last()
  await expect.poll(async () => (await why.boundingBox())?.width).toBeGreaterThan(200)
  await page.setViewportSize(size)
  await expect(rows(page).nth(1)).toContainText('Enter a full URL')
  await expect(rows(page).nth(2)).toContainText(good)
  await expect(rows(page).nth(2)).toContainText('New')
  expect(await list(page)).toEqual([])
  expect.soft(await accessibilityViolations(page), 'preview').toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect.soft(await accessibilityViolations(page), 'preview on a phone').toEqual([])
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await page.setViewportSize({ width: 1280, height: 720 })
  await dialog(page).getByRole('button', { name: 'Import the rest' }).click()
  const done = toasts(page, 'success', 'Created 1 entry.')
  await expect(dialog(page)).toHaveCount(0)
  expect(await list(page)).toMatchObject([{ url: good }])
  await done.getByRole('button', { name: 'Show entries' }).click()
  await expect(page).toHaveURL('/tools/keepalive/viewlist?sort=-createdAt')
  await page.goBack()

  const { name, text } = await download(page, 'Download')
  expect(name).toMatch(/^toolbox-\d{4}-\d\d-\d\d\.json$/)
  await card(page).getByRole('button', { name: 'Import' }).click()
  const renamed = text.replace('"name":null,"about"', '"name":"Brought","about"')
  await dialog(page)
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(renamed) })
  await expect(dialog(page).getByText(name)).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page).getByRole('status')).toHaveText('1 will be changed.')
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await expect(toasts(page, 'success', 'Changed 1 entry.')).toBeVisible()
  expect(await list(page)).toMatchObject([{ url: good, name: 'Brought' }])
  const inFull = await download(page, 'Download with secrets')
  expect([inFull.name, JSON.parse(inFull.text).secrets]).toEqual([
    expect.stringContaining('-with-secrets.json'),
    'included',
  ])
})

test('leaving pasted text asks first, and Escape keeps it, as Back keeps a chosen file', async ({
  page,
  context,
  instance,
}) => {
  await signInNewcomer(context, instance, 'goes-back')
  await page.goto('/user')
  await page.getByRole('link', { name: 'Import and export' }).click()
  await card(page).getByRole('button', { name: 'Import' }).click()
  const paste = dialog(page).getByLabel('Or paste its content')
  const previewAndBack = async () => {
    await dialog(page).getByRole('button', { name: 'Preview' }).click()
    await dialog(page).getByRole('button', { name: 'Back' }).click()
  }
  const url = instance.target.url('/back')
  await paste.fill(url)
  const leavePrompt = page.waitForEvent('dialog')
  await page.evaluate('history.back()')
  await (await leavePrompt).dismiss()
  await expect(page).toHaveURL('/user/data')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await card(page).getByRole('button', { name: 'Import' }).click()
  await expect(paste).toHaveValue(url)
  await previewAndBack()
  await expect(paste).toHaveValue(url)
  const file = { name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from(url) }
  await dialog(page).getByLabel('File', { exact: true }).setInputFiles(file)
  await previewAndBack()
  await expect(dialog(page).getByText('mine.txt')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page).getByRole('status')).toHaveText('1 entry will be created.')
  await dialog(page).getByRole('button', { name: 'Back' }).click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await card(page).getByRole('button', { name: 'Import' }).click()
  await expect(dialog(page).getByText('mine.txt')).toHaveCount(0)
})

test('text added while the preview loads is kept for the next import', async ({ page, context, instance }) => {
  await openImport(page, context, instance, 'adds-lines')
  const paste = dialog(page).getByLabel('Or paste its content')
  const lines = ['/one', '/two'].map((path) => `${instance.target.url(path)}\n`)
  const answer = await delayRequests(page, '**/import?*')
  const sent = page.waitForRequest('**/import?*')
  await paste.fill(lines[0]!)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await sent
  await paste.fill(lines.join(''))
  answer()
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await expect(toasts(page, 'success', 'Created 1 entry.')).toBeVisible()
  await expect(paste).toHaveValue(lines.join(''))
})

test('an import that fails after its page was left says so', async ({
  page,
  context,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 409/)
  await openImport(page, context, instance, 'leaves-early')
  await dialog(page).getByLabel('Or paste its content').fill(instance.target.url('/left'))
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  const free = Promise.withResolvers<void>()
  await page.route('**/import?*', async (route) => {
    await free.promise
    await route.fulfill({ status: 409, json: { error: 'Not on a Sunday.' } })
  })
  const sent = page.waitForRequest('**/import?*')
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await sent
  await navigate(page, '/user/channels')
  await expect(page).toHaveTitle('ToolBox - Channels')
  free.resolve()
  await expect(toasts(page, 'danger', 'Not on a Sunday.')).toHaveCount(1)
})

test('exporting secrets or deleting an account requires proof @release', async ({
  page,
  context,
  instance,
  allowConsoleErrors,
}) => {
  // Late requests may be refused once the account is deleted.
  allowConsoleErrors(/status of 403|status of 401 .*(?:progress|figures|inbox|summary)/)
  await signInNewcomer(context, instance, 'proves-first')
  await expireReauthentication(instance, 'proves-first')
  await page.goto('/user/data')
  const question = page.getByRole('dialog', { name: "Confirm that it's you" })
  await card(page).getByRole('button', { name: 'Download with secrets' }).click()
  await question.getByLabel('Password').fill(password)
  const saved = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await saved).suggestedFilename()).toContain('-with-secrets.json')

  await expireReauthentication(instance, 'proves-first')
  await card(page).getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete your account ?' })
  await test.step('the dialog lists the data that will be deleted too', async () => {
    await expect(dialog.getByRole('listitem')).toHaveText([
      '0 entries with their history',
      '0 channels',
      '0 API keys',
      '1 session, this one included',
    ])
    expect.soft(await accessibilityViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectFitsPhone(page, '/user/data')
    await card(page).getByRole('button', { name: 'Delete account' }).click()
  })
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await expect(question).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(page).toHaveURL('/user/data')
  await card(page).getByRole('button', { name: 'Delete account' }).click()
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await question.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await expect(toasts(page)).toHaveText([/Your account was deleted\.$/])
  expect((await instance.call('GET', '/api/v1/admin/user?email=proves-first@example.com')).status).toBe(404)
})

test.describe('after another user has signed in through another tab', () => {
  test.use({ allowedConsoleErrors: [/status of 40[13]/] })
  const signInAsOther = (page: Page) =>
    page.request.post('/api/auth/sign-in/username', { data: { username: 'follows', password } })

  test('an open dialog does nothing in the new user’s name', async ({ page, context, instance }) => {
    await createTestUser(instance, 'follows', { Tools: 1 })
    await signInNewcomer(context, instance, 'opens-dialog')
    await page.goto('/user/data')
    await card(page).getByRole('button', { name: 'Delete account' }).click()
    const question = page.getByRole('dialog', { name: 'Delete your account ?' })
    await expect(question.getByRole('listitem')).toHaveCount(4)
    // The page learns of the other session only after the press.
    const answer = await delayRequests(page, '**/auth/session')
    expect((await signInAsOther(page)).status()).toBe(200)
    await question.getByRole('button', { name: 'Delete account' }).click()
    const reloaded = page.waitForEvent('load')
    answer()
    await reloaded
    await expect(page.getByRole('button', { name: 'follows' })).toBeVisible()
    await expect(question).toHaveCount(0)
    await expect(page).toHaveURL('/user/data')
    const found = await instance.call('GET', '/api/v1/admin/user?email=follows@example.com')
    expect(found.status).toBe(200)
  })

  test('the page reloads, which closes its dialogs', async ({ page, context, instance }) => {
    await createTestUser(instance, 'follows', { Tools: 1 })
    await signInNewcomer(context, instance, 'leaves-dialog')
    await goLive(page, '/user/data')
    await card(page).getByRole('button', { name: 'Delete account' }).click()
    const question = page.getByRole('dialog', { name: 'Delete your account ?' })
    await expect(question.getByRole('listitem')).toHaveCount(4)
    // Without this, the page may first see that its own session has ended, and leave.
    const answer = await delayRequests(page, '**/auth/session')
    const reloaded = page.waitForEvent('load')
    await signInAsOther(page)
    answer()
    await reloaded
    await expect(page.getByRole('button', { name: 'follows' })).toBeVisible()
    await expect(question).toHaveCount(0)
  })

  test('a dialog that asked for a confirmation has closed', async ({ page, context, instance }) => {
    await createTestUser(instance, 'follows', { Tools: 1 })
    const { id } = await signInNewcomer(context, instance, 'leaves-question')
    await expireReauthentication(instance, 'leaves-question')
    await page.goto('/user/data')
    await card(page).getByRole('button', { name: 'Download with secrets' }).click()
    const question = page.getByRole('dialog', { name: "Confirm that it's you" })
    await expect(question).toBeVisible()
    await instance.call('DELETE', `/api/v1/admin/user/sessions?id=${id}`)
    await expect(page).toHaveURL('/auth/signin')
    await navigate(page, '/auth/signin/user')
    await page.getByLabel('Username').fill('follows')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
    await expect(page.getByRole('button', { name: 'follows' })).toBeVisible()
    await expect(question).toHaveCount(0)
  })
})
