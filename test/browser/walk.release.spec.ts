import { nodeFlags } from '../../scripts/node-flags.mjs'
import { expect, test } from '../support/page/kit.ts'
import { startTarget } from '../support/page/target.ts'
import { admin, startProcess } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test.use({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' })

const linkIn = (printed: string) => /http:\S+\/auth\/setup#token=[\w-]+/.exec(printed)?.[0] ?? 'no link was printed'

test('a new admin gets from the printed link to a pinged site, and a restart loses no data', async ({ page }) => {
  const folder = temporaryFolder()
  const target = await startTarget()
  let server = await startProcess({ DATA_DIR: folder }, nodeFlags)

  await page.goto(server.url)
  await expect(page.getByText('There is no admin yet.')).toBeVisible()
  await page.goto(linkIn(server.printed()))
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Create admin' }).click()

  await expect(page).toHaveURL(`${server.url}/`, { timeout: 30_000 })
  await expect(page.getByText("You're all set.")).toBeVisible()
  await expect(page.getByRole('heading', { name: `Welcome ${admin.username}` })).toBeVisible()
  await page.getByRole('button', { name: admin.username }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await expect(page.getByText('There is no admin yet.')).toHaveCount(0)
  await page.goto(`${server.url}/auth/signin/user`)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
  await expect(page.getByRole('heading', { name: `Welcome ${admin.username}` })).toBeVisible()

  await page
    .getByRole('main')
    .getByRole('link', { name: /^Keep Alive/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Keep Alive', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Create', exact: true }).click()
  await page.getByLabel('URL').fill(target.url('/health'))
  await page.getByRole('button', { name: 'Save' }).click()

  await expect(page).toHaveURL(/\/tools\/keepalive\/modify\?id=/)
  const runs = page.getByRole('list', { name: 'Runs' })
  await expect(runs.getByText('SUCCESS')).toHaveCount(1)
  await expect(page.getByText('Successfully created entry.')).toBeVisible()
  expect(target.visits('/health')).toBe(1)
  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(runs.getByText('SUCCESS')).toHaveCount(2)
  const entry = page.url()
  const moments = await runs.locator('time').allTextContents()

  await page.goto('about:blank')
  await server.end('SIGKILL')
  server = await startProcess({ DATA_DIR: folder, PORT: new URL(server.url).port }, nodeFlags)
  expect(server.printed()).not.toContain('/auth/setup')
  await page.goto(entry)
  await expect(runs.locator('time')).toHaveText(moments)
  await page.getByRole('main').getByRole('link', { name: 'Keep Alive' }).click()
  await expect(page.getByRole('cell').filter({ hasText: target.url('/health') })).toBeVisible()
  await page.goto(entry)
  await expect(runs.locator('time')).toHaveCount(2)

  await page.goto('about:blank')
  await server.end('SIGTERM')
  await target.stop()
})
