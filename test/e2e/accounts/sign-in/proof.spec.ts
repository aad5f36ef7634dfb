import type { Page } from '@playwright/test'
import { openSqlite } from '../../../../src/platform/db/sqlite/open.ts'
import { hours } from '../../../../src/shared/time.ts'
import { barriers } from '../../../support/page/barriers.ts'
import { atName, withDevice } from '../../../support/page/device.ts'
import type { House } from '../../../support/page/house.ts'
import { expect, go, toasts } from '../../../support/page/kit.ts'
import { stranger, test } from '../../../support/page/outside.ts'
import { at, dismiss, field, newcomer, person, readUser, save } from '../../../support/page/users.ts'
import { password } from '../../../support/people.ts'

test.use({ provoked: [/status of 40[03]/] })

/** The user of this name signed in an hour ago, and has proved nothing since. */
async function letTimePass({ folder }: House, name: string) {
  const db = openSqlite(folder)
  const created_at = db.timestamp(Date.now() - hours(1))
  const user = db.q.selectFrom('users').select('id').where('name', '=', name)
  await db.q.updateTable('sessions').set({ created_at, proved_at: null }).where('user_id', '=', user).execute()
  await db.close()
}

const question = (page: Page) => page.getByRole('dialog', { name: "Confirm that it's you" })
const newKey = (page: Page) => page.getByRole('dialog', { name: 'New API key' })

/** Begins to make a key of this name, up to the press that makes it. */
async function makeKey(page: Page, name: string) {
  await page.getByRole('button', { name: 'New API key' }).click()
  await newKey(page).getByLabel('Name').fill(name)
  await newKey(page).getByRole('button', { name: 'Create key' }).click()
}

test('a key is made after the password, and the name typed stays if one thinks better of it', async ({
  page,
  context,
  house,
}) => {
  const proves = await person(house, 'proves', { Admin: 2 })
  await context.request.post('/api/auth/sign-in/username', { data: { username: 'proves', password } })
  await letTimePass(house, 'proves')
  await page.goto('/user/keys')
  await makeKey(page, 'Backup script')
  await expect(question(page).getByLabel('Password')).toBeFocused()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(newKey(page).getByLabel('Name')).toHaveValue('Backup script')
  await expect(toasts(page)).toHaveCount(0)
  await expect(newKey(page).getByRole('alert')).toHaveCount(0)
  await expect(newKey(page).getByLabel('Name')).toBeFocused()

  await newKey(page).getByRole('button', { name: 'Create key' }).click()
  await question(page).getByLabel('Password').fill('not the password')
  await page.keyboard.press('Enter')
  await expect(question(page)).toContainText('Wrong password.')
  await question(page).getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Backup script')).toHaveValue(/^tbx_/)
  await expect(question(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Done' }).click()

  await test.step('a raised role is saved after it as well', async () => {
    const user = await newcomer(house)
    await letTimePass(house, 'proves')
    await go(page, at(user.email))
    await field(page, 'Name').fill('Grace Hopper')
    await page.getByRole('radio', { name: 'Tools: Full Access' }).check()
    await save(page).click()
    await question(page).getByLabel('Password').fill(password)
    await question(page).getByRole('button', { name: 'Confirm' }).click()
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    expect(await readUser(house, user.email)).toMatchObject({ name: 'Grace Hopper', roles: { Tools: 1 } })
  })
  await test.step('a channel that hears of this server is saved after it, with all that was typed', async () => {
    await letTimePass(house, 'proves')
    await go(page, '/user/channels')
    await page.getByRole('button', { name: 'New channel' }).click()
    const form = page.getByRole('dialog', { name: 'New channel' })
    await form.getByText('Webhook', { exact: true }).click()
    await form.getByLabel('URL', { exact: true }).fill(house.target.url('/hook'))
    await form.getByLabel('Name (optional)').fill('On call')
    await form.getByLabel('Problems with this server').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(question(page).getByLabel('Password')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(form.getByLabel('Name (optional)')).toHaveValue('On call')
    await expect(form.getByLabel('Problems with this server')).toBeChecked()
    await form.getByRole('button', { name: 'Save' }).click()
    await question(page).getByLabel('Password').fill(password)
    await question(page).getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('heading', { name: 'Channel saved' })).toBeVisible()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('row', { name: /On call/ })).toBeVisible()
  })
  await dismiss(house, proves)
})

test('a passkey proves who deletes it, in the same session @release', async ({ page, context, house }) => {
  const url = atName(house.url)
  await withDevice(page)
  await house.person('by-passkey')
  await context.request.post(`${url}/api/auth/sign-in/username`, { data: { username: 'by-passkey', password } })
  await page.goto(`${url}/user/security`)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page
    .getByRole('region', { name: 'Passkeys' })
    .getByRole('button', { name: /^Delete / })
    .click()
  await letTimePass(house, 'by-passkey')
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await question(page).getByRole('button', { name: 'Confirm with a passkey' }).click()
  await expect(toasts(page, 'success', 'Deleted the passkey')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Passkeys' }).getByRole('row')).toHaveCount(0)
  await page.reload()
  const activity = page.getByRole('region', { name: 'Recent Activity' })
  await expect(activity.getByRole('row', { name: /Deleted passkey/ })).toBeVisible()
  await expect(activity.getByRole('row', { name: /Signed in/ })).toHaveCount(1)
})

test('who signs in by a provider proves it there, in a window that closes by itself @release', async ({
  page,
  context,
  house,
  outside: { github },
}) => {
  const octo = stranger('octo.proves')
  github.person(octo)
  await page.goto('/auth/signin')
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  await expect(page).toHaveURL('/')
  await letTimePass(house, 'octo.proves')
  await go(page, '/user/keys')
  await makeKey(page, 'By GitHub')
  github.person(stranger('octo.else'))
  const other = context.waitForEvent('page')
  await question(page).getByRole('button', { name: 'Confirm with GitHub' }).click()
  await expect((await other).getByText("isn't one of your sign-in methods")).toBeVisible()
  await (await other).close()
  await expect(question(page)).toBeVisible()

  github.person(octo)
  const popup = context.waitForEvent('page')
  await question(page).getByRole('button', { name: 'Confirm with GitHub' }).click()
  await expect(page.getByRole('dialog').getByLabel('By GitHub')).toHaveValue(/^tbx_/)
  await expect.poll(async () => (await popup).isClosed()).toBe(true)
})
