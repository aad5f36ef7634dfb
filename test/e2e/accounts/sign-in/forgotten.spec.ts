import type { House } from '../../../support/page/house.ts'
import { expect, test, toasts } from '../../../support/page/kit.ts'
import { password } from '../../../support/people.ts'

/** The path of the link in the newest mail to this address, once it has come. */
async function mailedLink({ smtp, url }: House, email: string, page: 'auth/reset' | 'user/verify-email') {
  const linkIn = new RegExp(`/${page}#[\\w-]{43}`)
  const found = () =>
    smtp.mails
      .filter(({ to }) => to.includes(email))
      .map(({ source }) => linkIn.exec(source.replaceAll('=\n', ''))?.[0])
      .findLast((link) => link !== undefined)
  await expect.poll(found).toBeDefined()
  return `${url}${found()}`
}

test.describe('a forgotten password', () => {
  test.use({ provoked: [/status of 40[03]/] })
  test('is reset by the mailed link, which signs in and then is over', async ({ page, house }) => {
    await house.person('forgetful')
    await page.goto('/auth/signin/user')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(page).toHaveURL('/auth/forgot')
    await page.getByLabel('Email').fill('forgetful')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByLabel('Email').fill('forgetful@example.com')
    await page.getByRole('button', { name: 'Send link' }).click()
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
    const link = await mailedLink(house, 'forgetful@example.com', 'auth/reset')
    await page.goto(link)
    await page.getByLabel('New password').fill('password1234')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main').getByRole('alert')).toContainText('too common')
    await page.getByLabel('New password').fill('nineteen loud parrots')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/')
    await expect(toasts(page, 'success', 'Your password is set.')).toBeVisible()
    await expect(page.getByRole('banner').getByRole('button', { name: 'forgetful' })).toBeVisible()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByLabel('New password').fill('twenty loud parrots')
    await page.keyboard.press('Enter')
    await expect(page.getByText('expired or was already used').first()).toBeVisible()
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await expect(page).toHaveURL('/auth/forgot')
  })
})

test.describe('one’s own name and email', () => {
  test.use({ provoked: [/status of 409/] })
  test('are edited on the profile, and the email is confirmed by the mailed link @release', async ({
    page,
    context,
    house,
  }) => {
    await house.person('renames')
    const data = { username: 'renames', password }
    expect((await context.request.post(`${house.url}/api/auth/sign-in/username`, { data })).status()).toBe(200)
    await page.goto('/user')
    const details = page.getByRole('region', { name: 'User Details' })
    const edit = details.getByRole('button', { name: 'Edit your details' })
    await edit.click()
    const dialog = page.getByRole('dialog', { name: 'Edit your details' })
    await dialog.getByLabel('Email').fill('grace@example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('This email is already in use.')
    await dialog.getByLabel('Name').fill('Renée')
    await dialog.getByLabel('Email').fill('renee@example.com')
    await page.keyboard.press('Control+s')
    await expect(dialog).toHaveCount(0)
    await expect(edit).toBeFocused()
    await expect(details).toContainText('renee@example.com Unverified')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Renée')
    await expect(details.getByRole('status')).toContainText("We've sent you a link")
    await page.goto(await mailedLink(house, 'renee@example.com', 'user/verify-email'))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeVisible()
    await page.getByRole('link', { name: 'Go to your profile' }).click()
    await expect(details).toContainText('renee@example.com')
    await expect(details).not.toContainText('Unverified')
  })
})
