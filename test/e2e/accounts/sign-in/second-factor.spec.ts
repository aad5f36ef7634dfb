import type { BrowserContext, Page } from '@playwright/test'
import { appCode } from '../../../support/authenticator.ts'
import { barriers } from '../../../support/page/barriers.ts'
import { atName, withDevice } from '../../../support/page/device.ts'
import { openHouse } from '../../../support/page/house.ts'
import { expect, go, test, toasts } from '../../../support/page/kit.ts'
import { password } from '../../../support/people.ts'

const card = (page: Page, name: string) => page.getByRole('region', { name })

/** Signs this browser in without the form. */
async function signIn({ request }: BrowserContext, url: string, username: string) {
  const answer = await request.post(`${url}/api/auth/sign-in/username`, { data: { username, password } })
  expect(answer.status()).toBe(200)
}

async function typePassword(page: Page, url: string, username: string) {
  await page.goto(`${url}/auth/signin/user`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
}

/** Goes through the steps of setting up an app; answers its secret's address and the recovery codes. */
async function setUpApp(page: Page, where: 'dialog' | 'main') {
  const steps = page.getByRole(where)
  await steps.getByLabel('Current password').fill(password)
  await steps.getByRole('button', { name: 'Continue' }).click()
  const list = steps.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(list).toHaveCount(10)
  const codes = await list.allInnerTexts()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('toolbox-recovery-codes.txt')
  await page.getByRole('button', { name: "I've saved them" }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const uri = `otpauth://totp/ToolBox:x?secret=${await page.getByLabel('Key', { exact: true }).inputValue()}`
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Code', { exact: true }).fill(appCode(uri, Date.now()))
  await page.getByRole('button', { name: 'Turn on' }).click()
  return { uri, codes }
}

test.describe('signing in', () => {
  test.use({ provoked: [/401 \(Unauthorized\)/] })

  test('an app is set up on the profile, asked for at sign-in, and its recovery codes help without it', async ({
    page,
    context,
    house,
  }) => {
    await house.person('two-steps')
    await signIn(context, house.url, 'two-steps')
    await page.goto('/user/security')
    const part = card(page, 'Two-step sign-in')
    await part.getByRole('button', { name: 'Set up' }).click()
    const { codes } = await setUpApp(page, 'dialog')
    await expect(toasts(page, 'success', 'Two-step sign-in is on.')).toBeVisible()
    await expect(part).toContainText('You have 10 recovery codes left.')
    await context.clearCookies()
    await typePassword(page, house.url, 'two-steps')
    await expect(page).toHaveURL('/auth/second-step')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Wrong code.')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('two-steps')
    await go(page, '/user/security')
    await expect(part).toContainText('You have 9 recovery codes left.')
    await part.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('dialog').getByLabel('Current password').fill(password)
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await expect(part.getByRole('button', { name: 'Set up' })).toBeVisible()
  })

  test('a passkey is added, renamed, used to sign in where its device checks who it is, and deleted', async ({
    page,
    context,
    house,
  }) => {
    const url = atName(house.url)
    const device = await withDevice(page)
    await house.person('has-passkey')
    await signIn(context, url, 'has-passkey')
    await page.goto(`${url}/user/security`)
    const part = card(page, 'Passkeys')
    await part.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await expect(toasts(page, 'success', 'Added the passkey Laptop.')).toBeVisible()
    await part.getByRole('button', { name: 'Rename Laptop' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Old laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(part.getByRole('row', { name: /Old laptop/ })).toContainText('Never')
    await context.clearCookies()
    await page.goto(`${url}/auth/signin`)
    await device.verifies(false)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(toasts(page, 'danger', 'This was canceled or took too long.')).toBeVisible()
    await device.verifies(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('has-passkey')
    await go(page, '/user/security')
    await expect(part.getByRole('row', { name: /Old laptop/ })).not.toContainText('Never')
    await part.getByRole('button', { name: 'Delete Old laptop' }).click()
    await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(part.getByRole('row')).toHaveCount(0)
  })
})

test('whoever lacks a required second factor sets it up before anything else @release', async ({
  page,
  context,
  playwright,
}) => {
  const house = await openHouse(playwright.request, { REQUIRE_SECOND_FACTOR: 'all' })
  try {
    await signIn(context, house.url, 'grace')
    await page.goto(`${house.url}/user`)
    await expect(page).toHaveURL(`${house.url}/auth/second-factor`)
    await page.goto(`${house.url}/`)
    await expect(page).toHaveURL(`${house.url}/auth/second-factor`)
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await setUpApp(page, 'main')
    await expect(toasts(page, 'success', 'Two-step sign-in is on.')).toBeVisible()
    await go(page, '/user/security')
    await expect(card(page, 'Sessions').getByRole('row', { name: /This device/ })).toBeVisible()
    await expect(card(page, 'Two-step sign-in').getByRole('button', { name: 'Turn off' })).toHaveCount(0)
  } finally {
    await page.goto('about:blank')
    await house.close()
  }
})
