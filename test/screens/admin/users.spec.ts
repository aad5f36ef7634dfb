import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { confirmDeletion, expectRefusalToast, nextCall, refusalTestTitle } from '../../support/page/forms.ts'
import { cellOf, expect, goLive, navigate, test, toasts } from '../../support/page/kit.ts'
import { seedUsers } from '../../support/page/long-list.ts'
import {
  type CreatedUser,
  createTestUser,
  createUniqueUser,
  deleteUser,
  field,
  modifyPathOf,
  readUser,
  rowOf,
  rows,
  save,
  search,
  updateUser,
} from '../../support/page/users.ts'
import { admin } from '../../support/process.ts'

test.use({ signedInAs: 'ada' })

const stampForm = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()')
const list = '/admin/users'
const denied = '/auth/error?error=AccessDenied'
const adminScreens = [
  list,
  '/admin/user/modify',
  '/admin/invites',
  '/admin/health',
  '/admin/audit',
  '/admin/notifications',
  '/admin/backups',
]

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Admin area' })
const menu = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Admin' })

test('tabs lead to each screen of the admin area', async ({ page }) => {
  await page.goto(list)
  await test.step('the list is accessible and does not scroll sideways on a phone', async () => {
    for (const [path, sign] of [
      [`${list}?name=nobody`, 'No rows match your search.'],
      [list, 'grace@example.com'],
    ] as const) {
      await navigate(page, path)
      await expect(page.getByText(sign).first()).toBeVisible()
      expect.soft(await accessibilityViolations(page), path).toEqual([])
      await expectFitsPhone(page, path)
    }
  })
  for (const path of adminScreens) {
    const tab = tabs(page).getByRole('link').nth(adminScreens.indexOf(path))
    await tab.click()
    await expect(page).toHaveURL(path)
    await expect(tab).toHaveAttribute('aria-current', 'page')
  }
})

test('Admin level 1 sees only the list, and role changes take effect live @release', async ({
  openBrowserAs,
  instance,
}) => {
  const rosa = await createTestUser(instance, 'rosa', { Admin: 1 })
  const page = await openBrowserAs('rosa')
  await goLive(page, list)
  await expect(rowOf(page, rosa.email)).toBeVisible()
  await expect(rowOf(page, 'ada@example.com').getByRole('button', { name: 'Copy Email' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  await expect(tabs(page)).toHaveCount(0)
  await updateUser(instance, rosa.id, { roles: { Admin: 0 } })
  await expect(page).toHaveURL(denied)
  await expect(menu(page)).toHaveCount(0)
  await updateUser(instance, rosa.id, { roles: { Admin: 2 } })
  await expect(menu(page)).toBeVisible()
})

const bar = (page: Page) => page.getByRole('region', { name: 'Selected users' })
const press = (page: Page, name: string) => bar(page).getByRole('button', { name }).click()
const chip = (page: Page, name: string) => page.getByRole('group', { name: 'Show users' }).getByRole('button', { name })
const dialog = (page: Page) => page.getByRole('dialog')

const choose = async (page: Page, field: string, option: string) => {
  await dialog(page).getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const select = async (page: Page, people: readonly CreatedUser[]) => {
  for (const { email } of people) await rowOf(page, email).getByRole('checkbox').check()
  await expect(bar(page)).toContainText(`${people.length} selected`)
}

test.describe('the list', () => {
  test.use({
    signedInAs: 'ada',
    viewport: { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })

  test('Users @release', async ({ page, instance, holds }) => {
    const nico = await createTestUser(instance, 'nico')
    const columns = [
      'User ID',
      'Last Usage Timestamp',
      'Account Name',
      'Email',
      'Roles',
      'Tags',
      'Providers',
      'Actions',
    ]
    const ada = rowOf(page, admin.email)
    const theirs = rowOf(page, nico.email)
    const lastUse = (row: Locator) => cellOf(row, 'Last Usage Timestamp')

    await holds("It loads users by GET /api/v1/admin/users; the title is 'ToolBox - List Users'.", async () => {
      const call = await nextCall(page, 'GET', () => page.goto('/admin/users'), '/admin/')
      expect(call.path).toMatch(/^\/api\/v1\/admin\/users\?/)
      await expect(page).toHaveTitle('ToolBox - List Users')
      await expect(ada).toBeVisible()
    })
    await holds(`Its columns are ${columns.join(', ')}.`, async () => {
      await expect(page.getByRole('columnheader')).toHaveText(columns)
      const cells = ['', nico.id, '–', 'nicoActive', nico.email, '–', '–', 'Credentials', '']
      await expect(theirs.locator('th, td')).toHaveText(cells)
    })
    await holds('The Columns menu offers Status and Last Sign-in as well.', async () => {
      await page.getByRole('button', { name: 'Columns', exact: true }).click()
      for (const column of ['Status', 'Last Sign-in'])
        await page.getByRole('menuitemcheckbox', { name: column, exact: true }).click()
      await expect(cellOf(theirs, 'Status')).toHaveText('Active')
      await expect(cellOf(theirs, 'Last Sign-in')).toHaveText('–')
      await page.getByRole('menuitem', { name: 'Reset columns' }).click()
      await expect(page.getByRole('columnheader')).toHaveText(columns)
    })
    await holds('The last usage reads dd/MM/yyyy hh:mm:ss a, with a tooltip of its age; a dash is never.', async () => {
      await expect(lastUse(ada)).toHaveText(stampForm)
      await expect(lastUse(ada).locator('[title]')).toHaveAttribute('title', /^(.+ ago|just now) · /)
      await expect(lastUse(theirs)).toHaveText('–')
    })
    await holds('Accounts that were never used come last in either sort order.', async () => {
      const head = page.getByRole('columnheader', { name: 'Last Usage' })
      for (const way of ['ascending', 'descending']) {
        await head.getByRole('button').click()
        await expect(head).toHaveAttribute('aria-sort', way)
        await expect(lastUse(page.locator('tbody tr').first())).not.toHaveText('–')
        await expect(lastUse(page.locator('tbody tr').last())).toHaveText('–')
      }
    })
    const searches = [
      ['User ID', `${nico.id.slice(0, 8)}${nico.id.slice(-8)}`, theirs, ada],
      ['Last Usage Timestamp', String(new Date().getFullYear()), ada, theirs],
      ['Account Name', 'nco', theirs, ada],
      ['Email', 'adaxmpl', ada, theirs],
    ] as const
    for (const [column, text, found, other] of searches)
      await holds(`A search in ${column} matches letters in order, even with others between them.`, async () => {
        await search(page, column).fill(text)
        await expect(other).toHaveCount(0)
        await expect(found).toHaveCount(1)
        await search(page, column).fill('')
        await expect(other).toHaveCount(1)
      })
    await holds('Actions can copy the email address and open the user’s form.', async () => {
      await theirs.getByRole('button', { name: 'Copy Email' }).press('Enter')
      await expect(toasts(page, 'info', nico.email)).toBeVisible()
      expect(await clipboard(page)).toBe(nico.email)
      await theirs.getByRole('link', { name: 'Edit' }).press('Enter')
      await expect(page).toHaveURL(`/admin/user/modify?email=${encodeURIComponent(nico.email)}`)
      await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('nico')
    })
  })

  test('Refused calls @release', async ({ page, instance, holds, allowConsoleErrors }) => {
    allowConsoleErrors(/status of 409/)
    const user = await createUniqueUser(instance)
    const path = '/api/v1/admin/user'
    // The list is loaded ahead of its screen, which tries again.
    await holds(`${refusalTestTitle('The list')}.`, () =>
      expectRefusalToast(page, 'GET', `${path}s`, () => page.goto('/admin/users'), 2),
    )
    await holds(`${refusalTestTitle('A user')}, and the search form returns.`, async () => {
      await expectRefusalToast(page, 'GET', path, () => navigate(page, modifyPathOf(user.email)))
      await expect(field(page, 'Enter your User Email')).toBeVisible()
    })
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await expect(field(page, 'ID')).toHaveValue(user.id)
    await holds(`${refusalTestTitle('A change')}, and the form keeps it.`, async () => {
      await field(page, 'Name').fill('Half typed')
      await expectRefusalToast(page, 'PATCH', path, () => save(page).click())
      await expect(field(page, 'Name')).toHaveValue('Half typed')
    })
    await holds(`${refusalTestTitle('A delete')}, and the user stays.`, async () => {
      await expectRefusalToast(page, 'DELETE', path, () => confirmDeletion(page))
      await expect(field(page, 'ID')).toHaveValue(user.id)
    })
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.goto('/admin/user/create')
    await holds(`${refusalTestTitle('A new user')}, and the form keeps it.`, async () => {
      await field(page, 'Name').fill('Mira Osei')
      await field(page, 'Email').fill('mira@example.com')
      await expectRefusalToast(page, 'POST', path, () => save(page).click())
      await expect(field(page, 'Name')).toHaveValue('Mira Osei')
    })
  })

  test('the server searches and pages a long list of users @release', async ({ page, instance }) => {
    const dismissAll = await seedUsers(instance, 210)
    await page.goto('/admin/users')
    await expect(rows(page)).toHaveCount(10)
    const answered = page.waitForResponse(/filter%5Bname%5D=/)
    await search(page, 'Account Name').fill('crwd 209')
    await answered
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page)).toContainText('crowd-209@example.com')
    await search(page, 'Account Name').fill('')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Last' }).click()
    await expect(rows(page).last()).toContainText('crowd-0@example.com')
    await dismissAll()
  })
})

test('bulk changes and bulk deletion of users explain their effect first', async ({ page, instance }) => {
  const people = [await createTestUser(instance, 'many-ann'), await createTestUser(instance, 'many-bob')]
  const [ann] = people as [CreatedUser]
  await instance.call('POST', '/api/v1/keepalive/', { url: instance.target.url('/many'), owner: ann.email })
  await page.goto(`${list}?email=many-`)
  await select(page, people)
  expect.soft(await accessibilityViolations(page), 'with a selection').toEqual([])

  await press(page, 'Status')
  await choose(page, 'Status', 'Blocked')
  await expect(dialog(page)).toContainText("2 users can't sign in while they are blocked. 1 entry is paused.")
  await dialog(page).getByRole('button', { name: 'Set status' }).click()
  await expect(toasts(page, 'success', '2 set to Blocked.')).toBeVisible()
  await expect(rowOf(page, ann.email)).toContainText('Blocked')

  await select(page, people)
  await press(page, 'Roles')
  await choose(page, 'Tools', 'Full Access')
  await choose(page, 'Admin', 'Full Access')
  await expect(dialog(page)).toContainText('Can see the list of users but not change it.')
  await dialog(page).getByRole('button', { name: 'Set roles' }).click()
  await expect(page.getByRole('dialog', { name: 'Let 2 users see all users ?' })).toBeVisible()
  expect((await readUser(instance, ann.email)).roles).toEqual({ Admin: 0, Tools: 0 })
  await dialog(page).getByRole('button', { name: 'Yes, let them see' }).click()
  await expect(rowOf(page, ann.email)).toContainText('Admin 1, Tools 1')

  await select(page, people)
  await press(page, 'Tags')
  await choose(page, 'Add', 'Moderator')
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('button', { name: 'Set tags' }).click()
  await expect(rowOf(page, ann.email)).toContainText('Moderator')

  await select(page, people)
  await press(page, 'Delete')
  const sure = page.getByRole('dialog', { name: 'Delete 2 users ?' })
  await expect(sure).toContainText('With them, 1 entry with all history will be deleted. 2 of them are admins.')
  await sure.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(toasts(page, 'success', '2 deleted.')).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
})

test('chips filter the list, and the page URL keeps the filter @release', async ({ page, instance }) => {
  const plain = await createTestUser(instance, 'many-cleo')
  await page.goto(list)
  await chip(page, 'Admins').click()
  await expect(page).toHaveURL(`${list}?show=admins`)
  await expect(rowOf(page, plain.email)).toHaveCount(0)
  await expect(rowOf(page, 'ada@example.com')).toBeVisible()
  await page.reload()
  await expect(chip(page, 'Admins')).toHaveAttribute('aria-pressed', 'true')
  await chip(page, 'No role').click()
  await expect(rowOf(page, plain.email)).toBeVisible()
  await expect(rowOf(page, 'ada@example.com')).toHaveCount(0)
  await expectFitsPhone(page, 'list of users with chips')
  await chip(page, 'All').click()
  await expect(page).toHaveURL(list)
})

test('a user import is previewed line by line and leaves out refused lines', async ({ page, instance }) => {
  const existing = await createTestUser(instance, 'many-dora')
  await page.goto(`${list}?email=many-`)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await readFile(await (await saved).path(), 'utf8')
  expect(file).toContain(
    '"User ID","Last Usage Timestamp","Account Name","Email","Roles","Tags","Providers","Status","Last Sign-in","Username"',
  )
  const text = `${file.replace('"many-dora"', `"'=Dora"`)}x,–,Eve,many-eve@example.com,Tools 1,–,–,Active,–,\r\nx,–,Eve,nobody,,,,,,\r\n`
  await page.getByRole('button', { name: 'Import…' }).click()
  await dialog(page)
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page)).toContainText('1 user will be created, 1 will be changed and 1 line is refused.')
  await expect(dialog(page).getByRole('row').nth(1)).toContainText('Refused')
  await expect(dialog(page)).toContainText('Name: many-dora → =Dora')
  expect((await readUser(instance, existing.email)).name).toBe('many-dora')
  await dialog(page).getByRole('button', { name: 'Import the rest' }).click()
  await expect(toasts(page, 'success', 'Created 1 user and changed 1. 1 line is left out.')).toBeVisible()
  await expect(rowOf(page, 'many-eve@example.com')).toContainText('Tools 1')
  for (const email of [existing.email, 'many-eve@example.com']) await deleteUser(instance, { email })
})
