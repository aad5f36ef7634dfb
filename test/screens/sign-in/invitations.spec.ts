import type { Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { delayRequests, expect, signInAs, test, toasts } from '../../support/page/kit.ts'
import { installClock } from '../../support/page/shared-context.ts'
import { createTestUser, deleteUser } from '../../support/page/users.ts'

test.use({ signedInAs: 'ada', allowedConsoleErrors: [/status of 40[34]/] })

const uses = (page: Page) => page.getByLabel('How many people can use it')
const newLink = async (page: Page, times: string) => {
  await page.getByRole('button', { name: 'New invitation' }).click()
  await uses(page).fill(times)
  await page.getByRole('button', { name: 'Create link' }).click()
}

/** Records errors on the page that leads to Home, whose code arrives only after Loading has appeared. */
const alertsBeforeHome = async (page: Page) => {
  await page.evaluate(`window.alerts = []
    new MutationObserver(() => alerts.push(...[...document.querySelectorAll('main [role=alert]')].map((one) => one.innerText)))
      .observe(document, { subtree: true, childList: true })`)
  await page.route('**/assets/at-home-*.js', async (route) => {
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
    await route.continue()
  })
  return async () => {
    await expect(page).toHaveTitle('ToolBox - Home')
    await page.unroute('**/assets/at-home-*.js')
    return page.evaluate('window.alerts')
  }
}

test('Invitations', async ({ page, browser, instance, holds }) => {
  let link = ''
  await holds("The list of users links to 'ToolBox - Invitations', which is empty at first.", async () => {
    await page.goto('/admin/users')
    await page.getByRole('link', { name: 'Invitations' }).click()
    await expect(page).toHaveTitle('ToolBox - Invitations')
    await expect(page.getByText('No invitations yet.')).toBeVisible()
  })
  await holds('The form defaults to Full Access to Tools and 7 days, and rejects 0 uses.', async () => {
    await newLink(page, '0')
    await expect(page.getByText('Use a whole number from 1 to 100.')).toBeVisible()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('group', { name: 'Tools' }).getByLabel('Full Access')).toBeChecked()
    await expect(dialog.getByRole('group', { name: 'Expires in' }).getByLabel('7 days')).toBeChecked()
    expect(await accessibilityViolations(page)).toEqual([])
  })
  await holds('The link of a new invitation is shown once, as text and as a QR code.', async () => {
    await uses(page).fill('2')
    await uses(page).press('Enter')
    await expect(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible()
    link = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(link).toContain('/auth/invite#')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('row').nth(1)).toContainText('0 of 2')
  })
  const guests = await browser.newContext({ baseURL: instance.url, storageState: { cookies: [], origins: [] } })
  const guest = await guests.newPage()
  await holds(
    'A form that a guest is filling in stays when a session starts in another tab, and says so.',
    async () => {
      await createTestUser(instance, 'gail')
      await installClock(guest)
      await guest.goto(link)
      await guest.getByLabel('Name', { exact: true }).fill('Guest')
      // This sign-in is one of the two uses.
      await signInAs(guests, instance.url, 'gail')
      // The page looks for a session only if it last did so a while ago.
      await guest.clock.fastForward('01:00')
      await guest.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
      await expect(guest.getByText("You're signed in as gail now.")).toBeVisible()
      await expect(guest.getByRole('button', { name: 'Continue as gail' })).toBeVisible()
      await expect(guest.getByLabel('Name', { exact: true })).toHaveValue('Guest')
    },
  )
  await holds('A guest who opens it creates an account, is signed in and has the granted access.', async () => {
    await expect(guest.getByRole('heading', { name: 'ada invites you to ToolBox' })).toBeVisible()
    await expect(guest.getByText(/^You'll join .* with Full Access to Tools\.$/)).toBeVisible()
    expect(await accessibilityViolations(guest)).toEqual([])
    await guest.getByLabel('Email').fill('guest-of-ada@example.com')
    await guest.getByLabel('Username').fill('guest-of-ada')
    await guest.getByLabel('Password', { exact: true }).fill('seven green teapots')
    const alerts = await alertsBeforeHome(guest)
    await guest.getByRole('button', { name: 'Create account' }).click()
    await expect(toasts(guest, 'success', 'Your account is ready.')).toBeVisible()
    expect(await alerts()).toEqual([])
    await guest.goto('/tools/keepalive/viewlist')
    await expect(guest).toHaveTitle('ToolBox - Keep Alive List')
    await guests.close()
  })
  await holds('The list updates the number of uses and the status without a reload.', async () => {
    await expect(page.getByRole('row').nth(1)).toContainText('Used up')
    await expect(page.getByRole('row').nth(1)).toContainText('2 of 2')
    await expectFitsPhone(page, '/admin/invites')
  })
  await holds(
    'A link is shown even if its form was closed and opened again; Revoke asks first, then removes it.',
    async () => {
      const create = await delayRequests(page, '**/admin/invites')
      await newLink(page, '5')
      await expect(page.getByRole('button', { name: 'Create link' })).toBeDisabled()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await page.getByRole('button', { name: 'New invitation' }).click()
      await expect(uses(page)).toHaveValue('1')
      create()
      await page.getByRole('button', { name: 'Done' }).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      const row = page.getByRole('row').nth(1)
      await expect(row).toContainText('0 of 5')
      await row.getByRole('button', { name: /^Revoke/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await expect(toasts(page, 'success', 'Revoked the invitation.')).toBeVisible()
      await expect(row).toContainText('2 of 2')
    },
  )
  await holds('A signed-in user accepts with one click, and sees no error while Home loads.', async () => {
    const created = await instance.call<{ url: string }>('POST', '/api/v1/admin/invites', {
      roles: {},
      tags: ['Verified'],
    })
    await page.goto(created.body.url)
    await expect(page.getByRole('button', { name: 'Accept invitation' })).toBeVisible()
    const alerts = await alertsBeforeHome(page)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await expect(toasts(page, 'success', 'Invitation accepted.')).toBeVisible()
    expect(await alerts()).toEqual([])
  })
  await holds('An unknown link shows an error.', async () => {
    for (const path of ['/auth/invite', '/Auth/Invite']) {
      await page.goto(`${path}#unknown`)
      await expect(page.getByRole('main').getByRole('alert')).toContainText("This invitation doesn't exist.")
    }
  })
  for (const email of ['guest-of-ada@example.com', 'gail@example.com']) await deleteUser(instance, { email })
  for (const { id } of (await instance.call<{ id: string }[]>('GET', '/api/v1/admin/invites')).body)
    await instance.call('DELETE', `/api/v1/admin/invites?id=${id}`)
})
