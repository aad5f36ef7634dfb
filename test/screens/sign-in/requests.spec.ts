import type { Page } from '@playwright/test'
import { openRequest } from '../../../src/admission/access/store.ts'
import { linkAccount } from '../../../src/people/sign-in-methods.ts'
import { createUser } from '../../../src/people/store.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { Active, Inactive } from '../../../src/shared/user.ts'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { delayRequests, expect, toasts } from '../../support/page/kit.ts'
import { stranger, test } from '../../support/page/outside.ts'
import { installClock } from '../../support/page/shared-context.ts'
import { createTestUser, deleteUser, updateUser } from '../../support/page/users.ts'

const list = '/admin/users'
const waitingOf = (page: Page) => page.getByRole('region', { name: 'Waiting' })
type Kind = 'request' | 'sign-up'
/** Creates GitHub users who requested access or signed up and await approval, the newest last. */
async function wait(instance: Instance, people: Record<string, Kind>) {
  const db = openSqlite(instance.folder)
  const waiting = []
  for (const [username, kind] of Object.entries(people)) {
    const account = stranger(username)
    const email = `${username}@example.com`
    const user = { name: username, email, emailVerified: true, status: kind === 'request' ? Active : Inactive }
    const id = await createUser(db, db.q, { ...user, roles: { Admin: 0, Tools: 0 } }, Date.now())
    const link = { providerId: '002_Github', accountId: account.id, accountUsername: username }
    await linkAccount(db, db.q, id, link, Date.now())
    await openRequest(db.q, { userId: id, kind, message: null }, Date.now())
    waiting.push({ id, email, account })
  }
  await db.close()
  return waiting
}
type Waiting = Awaited<ReturnType<typeof wait>>[number]
const denied = '/auth/error?error=AccessDenied'

test.describe('an admin', () => {
  test.use({ signedInAs: 'ada' })

  test('approves a request for access, which unlocks the tools on Home', async ({ page, openBrowserAs, instance }) => {
    await page.goto(list)
    await expect(page.getByRole('row').filter({ hasText: 'ada@example.com' })).toHaveCount(1)
    await expect(waitingOf(page)).toHaveCount(0)
    await createTestUser(instance, 'rosa')
    const hers = await openBrowserAs('rosa')
    await hers.goto('/')
    const main = hers.getByRole('main')
    await expect(main.getByText("You don't have access to the tools yet.")).toBeVisible()
    await expect(main.getByText('No access', { exact: true })).toHaveCount(3)
    await expectFitsPhone(hers, '/')
    await hers.getByRole('button', { name: 'Request access' }).click()
    const dialog = hers.getByRole('dialog')
    await dialog.getByLabel('Message (optional)').fill('For the apps of our team')
    await hers.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(main.getByText('You asked for access')).toBeVisible()
    await expect(hers.getByRole('button', { name: 'Request access' })).toHaveCount(0)

    const row = waitingOf(page).getByRole('listitem')
    await expect(row).toContainText('For the apps of our team')
    expect(await accessibilityViolations(page)).toEqual([])
    await expect(row.getByRole('button')).toHaveText(['Approve with Tools', 'Decline'])
    await row.getByRole('button', { name: 'Approve with Tools' }).click()
    await expect(waitingOf(page)).toHaveCount(0)
    await expect(toasts(page, 'success', 'Gave Tools to rosa@example.com.')).toBeVisible()
    await expect(main.getByText('No access', { exact: true })).toHaveCount(0)
    await expect(main.getByRole('link', { name: 'New entry' })).toHaveCount(3)
    await main.getByRole('link', { name: 'New entry' }).first().click()
    await expect(hers.getByRole('heading', { name: 'Create' })).toBeVisible()
  })

  test('can approve or decline selected requests and sign-ups @release', async ({ page, instance }) => {
    const askers = Object.fromEntries(['una', 'vera', 'wanda', 'xenia', 'yara', 'zoe'].map((name) => [name, 'request']))
    const people = await wait(instance, { ...askers, asya: 'request', sven: 'sign-up' } as Record<string, Kind>)
    const [asks, signedUp] = people.slice(-2) as [Waiting, Waiting]
    await page.goto(list)
    await expect(waitingOf(page)).toContainText('8')
    await waitingOf(page).getByRole('button', { name: 'Review' }).click()
    const rows = waitingOf(page).getByRole('listitem')
    const row = (email: string) => rows.filter({ hasText: email })
    const all = waitingOf(page).getByRole('checkbox', { name: 'Select everyone waiting' })
    const selected = waitingOf(page).getByRole('status')
    const forThem = waitingOf(page).locator('[aria-description="those selected"]')
    await expect(row(asks.email).getByRole('button')).toHaveText(['Approve with Tools', 'Decline'])
    await expect(row(signedUp.email).getByRole('button')).toHaveText(['Approve', 'Approve with Tools', 'Decline'])
    for (const { email } of [asks, signedUp]) await row(email).getByRole('checkbox').check()
    await expect(forThem).toHaveText(['Approve with Tools', 'Decline'])
    const loadUsers = await delayRequests(page, '**/api/v1/admin/users?*')
    await forThem.first().click()
    await expect(toasts(page, 'success', 'Approved and gave Tools to 2 users.')).toBeVisible()
    await expect(waitingOf(page).getByRole('heading')).toHaveText('Waiting 6')
    await all.check()
    await expect(selected).toHaveText('6 selected')
    const loaded = page.waitForResponse('**/api/v1/admin/users?*')
    loadUsers()
    await loaded
    for (const { email } of [asks, signedUp]) {
      const { body } = await instance.call<object>('GET', `/api/v1/admin/user?email=${email}`)
      expect(body).toMatchObject({ status: Active, roles: { Tools: 1 } })
    }

    await test.step('a bulk decision reports requests that another admin has already decided', async () => {
      await expect(rows).toHaveCount(5)
      await expect(selected).toHaveText('6 selected')
      await waitingOf(page).getByRole('button', { name: 'Show all 6' }).click()
      await expect(rows).toHaveCount(6)
      await page.route('**/access-requests/decide', async (route) => {
        const ids = [people[0]?.id]
        await instance.call('POST', '/api/v1/admin/access-requests/decide', { ids, decision: 'approve' })
        await route.continue()
      })
      await forThem.filter({ hasText: 'Approve with Tools' }).click()
      await expect(toasts(page, 'success', 'Gave Tools to 5 users.')).toBeVisible()
      await expect(toasts(page, 'warning', 'una@example.com: This request was already decided.')).toBeVisible()
      await expect(waitingOf(page)).toHaveCount(0)
    })
    await instance.call('POST', '/api/v1/admin/users/bulk', { ids: people.map(({ id }) => id), act: 'delete' })
  })

  test('sees the newest 60 of 65 requests, and can decide about all of them @release', async ({ page }) => {
    const all = Array.from({ length: 65 }, (_, n) => ({
      ...{ id: `id-${n}`, name: `Person ${n}`, email: `p${n}@example.com`, emailVerified: true },
      ...{ message: null, at: Date.now() - n, kind: 'request' },
    }))
    const path = '/api/v1/admin/access-requests'
    await page.route(
      (url) => url.pathname === path,
      (route) => {
        const isPage = new URL(route.request().url()).search !== ''
        return route.fulfill({ json: isPage ? { rows: all.slice(0, 60), total: all.length } : all })
      },
    )
    const decided: string[] = []
    await page.route(`**${path}/decide`, (route) => {
      const { ids } = route.request().postDataJSON()
      decided.push(...ids)
      return route.fulfill({ json: { done: ids, refused: [] } })
    })
    await page.goto(list)
    const waiting = waitingOf(page)
    await expect(waiting.getByRole('heading')).toHaveText('Waiting 65')
    await expect(waiting).toContainText('Person 0, Person 1, Person 2 and 62 more')
    await waiting.getByRole('button', { name: 'Review' }).click()
    for (const words of ['Show 50 more', 'Show 5 more']) await waiting.getByRole('button', { name: words }).click()
    await expect(waiting.getByRole('listitem')).toHaveCount(60)
    await expect(waiting).toContainText('These are the newest 60.')
    // The page loads all requests before it selects them.
    await waiting.getByRole('checkbox', { name: 'Select everyone waiting' }).click()
    await expect(waiting.getByRole('status')).toHaveText('65 selected')
    await waiting.getByRole('button', { name: 'Decline' }).first().click()
    await expect(toasts(page, 'success')).toContainText('Declined 65 users.')
    expect(decided).toEqual(all.map(({ id }) => id))
    await expect(waiting.getByRole('status')).toHaveCount(0)
  })
})

test('a new user waits for an admin’s approval, even across a reload', async ({
  page,
  instance,
  fakeProviders: { github },
}) => {
  const [vito] = (await wait(instance, { vito: 'sign-up' })) as [Waiting]
  github.person(vito.account)
  const signIn = async () => {
    await page.goto('/auth/signin')
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  }
  await installClock(page)
  await signIn()
  const heading = page.getByRole('heading', { name: 'Waiting for approval' })
  await expect(heading).toBeVisible()
  await expect(page).toHaveTitle('ToolBox - Waiting for approval')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.reload()
  await expect(heading).toBeVisible()
  await instance.call('POST', '/api/v1/admin/access-requests/decide', { ids: [vito.id], decision: 'approve' })
  await page.clock.runFor(5_000)
  await expect(page).toHaveURL('/auth/signin')
  await expect(toasts(page, 'success', 'Your account was approved. Sign in to continue.')).toBeVisible()
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  await expect(page.getByRole('banner').getByRole('button', { name: 'vito' })).toBeVisible()
  await deleteUser(instance, vito)
})

test('a declined user reads that the wait has ended @release', async ({
  page,
  instance,
  fakeProviders: { github },
}) => {
  const [wim] = (await wait(instance, { wim: 'sign-up' })) as [Waiting]
  github.person(wim.account)
  await page.clock.install()
  await page.goto('/auth/signin')
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible()
  await instance.call('POST', '/api/v1/admin/access-requests/decide', { ids: [wim.id], decision: 'decline' })
  await page.clock.runFor(5_000)
  await expect(page.getByRole('heading', { name: 'No longer waiting' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in', exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to ToolBox' })).toBeVisible()
  await expect(page.getByText("waiting for an admin's approval")).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  await expect(page.getByText('An admin has declined your sign-up.')).toBeVisible()
  await deleteUser(instance, wim)
})

test('a denied user continues to the page once an admin grants the role', async ({ openBrowserAs, instance }) => {
  const rosa = await createTestUser(instance, 'rosa')
  const page = await openBrowserAs('rosa')
  const connected = page.waitForResponse('**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await expect(page).toHaveURL(denied)
  await connected
  await expect(page.getByText('This page will open automatically once you have access.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Try again' })).toHaveCount(0)

  await test.step('a request sent in another tab leaves the dialog open, which shows why it is refused', async () => {
    await page.getByRole('button', { name: 'Request access' }).click()
    const asked = page.getByLabel('Message (optional)')
    await asked.fill('For the apps of our team')
    const path = '/api/v1/user/access-request'
    const token = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? ''
    await page.request.post(path, { headers: { 'X-XSRF-TOKEN': token }, data: { message: '' } })
    await asked.press('Enter')
    await expect(page.getByRole('dialog').getByRole('alert')).toHaveText(/^You can ask once a day/)
    await expect(page.getByText('You asked for access')).toBeAttached()
    await expect(asked).toHaveValue('For the apps of our team')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Request access' })).toHaveCount(0)
  })

  const refused = page.waitForResponse('**/api/v1/auth/session')
  await updateUser(instance, rosa.id, { roles: { Admin: 1 } })
  await refused
  await expect(page.getByRole('button', { name: 'Admin' })).toBeVisible()
  await expect(page).toHaveURL(denied)
  await updateUser(instance, rosa.id, { roles: { Tools: 1 } })
  await expect(page).toHaveURL('/tools/keepalive/viewlist?sort=url')
  await expect(page.getByText('Nothing here yet')).toBeVisible()
})

test('a role granted before the event stream connects is noticed @release', async ({ openBrowserAs, instance }) => {
  const rosa = await createTestUser(instance, 'rosa')
  const page = await openBrowserAs('rosa')
  const releaseEvents = await delayRequests(page, '**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await expect(page).toHaveURL(denied)
  await updateUser(instance, rosa.id, { roles: { Tools: 1 } })
  releaseEvents()
  await expect(page.getByText('Nothing here yet')).toBeVisible()
})

test('a refusal screen that loads after the role was granted gives way @release', async ({
  openBrowserAs,
  instance,
}) => {
  const rosa = await createTestUser(instance, 'rosa')
  const page = await openBrowserAs('rosa')
  const show = await delayRequests(page, /\/assets\/error-/)
  const errorRequest = page.waitForRequest(/\/assets\/error-/)
  const connected = page.waitForResponse('**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await Promise.all([errorRequest, connected])
  const sessionResponse = page.waitForResponse('**/api/v1/auth/session')
  await updateUser(instance, rosa.id, { roles: { Tools: 1 } })
  await sessionResponse
  show()
  await expect(page.getByText('Nothing here yet')).toBeVisible()
})
