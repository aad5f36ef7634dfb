import type { Page } from '@playwright/test'
import {
  entryOf,
  entryTools,
  mainField,
  removeEntry,
  resetButton,
  rootOf,
  runOf,
  saveButton,
} from '../../support/page/entry-tools.ts'
import { expect, go, test, toasts } from '../../support/page/kit.ts'
import { at, dismiss, field, newcomer } from '../../support/page/users.ts'

test.use({ visitor: 'ada', provoked: [/status of 409/] })

const error = 'Not on a Sunday.'

/** Refuses the calls that this leads to, and waits for the one toast that says why; then closes it. */
async function refused(page: Page, method: string, path: string, act: () => Promise<unknown>) {
  const isMeant = ({ pathname }: URL) => pathname.replace(/\/$/, '') === path
  await page.route(isMeant, (route) =>
    route.request().method() === method ? route.fulfill({ status: 409, json: { error } }) : route.fallback(),
  )
  await act()
  await expect(toasts(page)).toHaveCount(1)
  await expect(toasts(page, 'danger', error)).toBeVisible()
  await toasts(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(toasts(page)).toHaveCount(0)
  await page.unroute(isMeant)
}
async function nuke(page: Page) {
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
}
const toastFor = (action: string) => `${action} refused is a danger toast with the error of the answer`

for (const tool of entryTools) {
  const { path, label } = tool.contract
  test(`${label}${runOf(tool)}`, async ({ page, house, holds }) => {
    const { id } = await entryOf(house, tool, 'refused')
    const loaded = page.getByLabel('ID', { exact: true })
    await holds(`${toastFor('The list')}.`, () =>
      refused(page, 'GET', `${path}/list`, () => page.goto(`${rootOf(tool)}/viewlist`)),
    )
    await holds(`${toastFor('An entry')}, and the search form is back.`, async () => {
      await refused(page, 'GET', path, () => go(page, `${rootOf(tool)}/modify?id=${id}`))
      await expect(page.getByLabel('Enter your ID')).toBeVisible()
    })
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await expect(loaded).toHaveValue(id)
    await holds(`${toastFor('A change')}, and the form keeps it.`, async () => {
      await page.getByRole('switch', { name: 'Active' }).uncheck()
      await refused(page, 'PATCH', path, () => saveButton(page).click())
      await expect(page.getByText('Unsaved changes')).toBeVisible()
      await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked()
    })
    await holds(`${toastFor('A delete')}, and the entry stays.`, async () => {
      await refused(page, 'DELETE', path, () => nuke(page))
      await expect(loaded).toHaveValue(id)
    })
    await resetButton(page).click()
    await page.getByRole('main').getByRole('link', { name: 'Create' }).click()
    await holds(`${toastFor('A new entry')}, and the form keeps it.`, async () => {
      await mainField(page, tool).fill(tool.address(house, 'refused'))
      await refused(page, 'POST', path, () => saveButton(page).click())
      await expect(mainField(page, tool)).toHaveValue(tool.address(house, 'refused'))
      await expect(page).toHaveURL(`${rootOf(tool)}/create`)
    })
    await resetButton(page).click()
    await removeEntry(house, tool, id)
  })
}

test('Users @release', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  const path = '/api/v1/admin/user'
  await holds(`${toastFor('The list')}.`, () => refused(page, 'GET', `${path}s`, () => page.goto('/admin/users')))
  await holds(`${toastFor('A user')}, and the search form is back.`, async () => {
    await refused(page, 'GET', path, () => go(page, at(user.email)))
    await expect(field(page, 'Enter your User Email')).toBeVisible()
  })
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
  await expect(field(page, 'ID')).toHaveValue(user.id)
  await holds(`${toastFor('A change')}, and the form keeps it.`, async () => {
    await field(page, 'Name').fill('Half typed')
    await refused(page, 'PATCH', path, () => saveButton(page).click())
    await expect(field(page, 'Name')).toHaveValue('Half typed')
  })
  await holds(`${toastFor('A delete')}, and the user stays.`, async () => {
    await refused(page, 'DELETE', path, () => nuke(page))
    await expect(field(page, 'ID')).toHaveValue(user.id)
  })
  await resetButton(page).click()
  await page.goto('/admin/user/create')
  await holds(`${toastFor('A new user')}, and the form keeps it.`, async () => {
    await field(page, 'Name').fill('Mira Osei')
    await field(page, 'Email').fill('mira@example.com')
    await refused(page, 'POST', path, () => saveButton(page).click())
    await expect(field(page, 'Name')).toHaveValue('Mira Osei')
  })
  await resetButton(page).click()
  await dismiss(house, user)
})
