import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, test, toasts } from '../../../support/page/kit.ts'
import { dismiss, type Known, person, readUser, rowOf, rows } from '../../../support/page/users.ts'

test.use({ visitor: 'ada' })

const list = '/admin/users'
const bar = (page: Page) => page.getByRole('region', { name: 'Selected users' })
const press = (page: Page, name: string) => bar(page).getByRole('button', { name }).click()
const chip = (page: Page, name: string) => page.getByRole('group', { name: 'Show users' }).getByRole('button', { name })
const dialog = (page: Page) => page.getByRole('dialog')
const choose = async (page: Page, field: string, option: string) => {
  await dialog(page).getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const select = async (page: Page, people: readonly Known[]) => {
  for (const { email } of people) await rowOf(page, email).getByRole('checkbox').check()
  await expect(bar(page)).toContainText(`${people.length} selected`)
}

test('selected users get a status, roles and tags, after words about what that means', async ({ page, house }) => {
  const people = [await person(house, 'many-ann'), await person(house, 'many-bob')]
  const [ann] = people as [Known]
  await house.call('POST', '/api/v1/keepalive/', { url: house.target.url('/many'), owner: ann.email })
  await page.goto(`${list}?email=many-`)
  await select(page, people)
  expect.soft(await barriers(page), 'with a selection').toEqual([])

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
  expect((await readUser(house, ann.email)).roles).toEqual({ Admin: 0, Tools: 0 })
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

test('chips narrow the list, and the address keeps that @release', async ({ page, house }) => {
  const plain = await person(house, 'many-cleo')
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
  await fitsPhone(page, 'list of users with chips')
  await chip(page, 'All').click()
  await expect(page).toHaveURL(list)
  await dismiss(house, plain)
})

test('a table of users is looked at line by line before it is imported', async ({ page, house }) => {
  const known = await person(house, 'many-dora')
  await page.goto(`${list}?email=many-`)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await readFile(await (await saved).path(), 'utf8')
  expect(file).toContain(
    '"User ID","Last Usage Timestamp","Account Name","Email","Status","Roles","Tags","Providers","Last Sign-in","Username"',
  )
  const text = `${file.replace('"many-dora"', `"'=Dora"`)}x,–,Eve,many-eve@example.com,Active,Tools 1,–,–,–,\r\nx,–,Eve,nobody,,,,,,\r\n`
  await page.getByRole('button', { name: 'Import…' }).click()
  await dialog(page)
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page)).toContainText('1 user will be created, 1 will be changed and 1 line is refused.')
  await expect(dialog(page).getByRole('row').nth(1)).toContainText('Refused')
  await expect(dialog(page)).toContainText('Name: many-dora → =Dora')
  expect((await readUser(house, known.email)).name).toBe('many-dora')
  await dialog(page).getByRole('button', { name: 'Import the rest' }).click()
  await expect(toasts(page, 'success', 'Created 1 user and changed 1. 1 line is left out.')).toBeVisible()
  await expect(rowOf(page, 'many-eve@example.com')).toContainText('Tools 1')
  for (const email of [known.email, 'many-eve@example.com']) await dismiss(house, { email })
})
