import type { Page } from '@playwright/test'
import { expect, holdBack, test, toasts } from './kit.ts'

test.use({ visitor: 'ada', provoked: [/409 \(Conflict\)/] })

const dialog = (page: Page) => page.getByRole('dialog', { name: /^Changed by ada/ })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

test('an entry that was changed meanwhile is saved over only by choice, each time anew', async ({ page, house }) => {
  const id = await house.entry('/conflict')
  const url = (word: string) => house.target.url(`/conflict?${word}`)
  const change = (word: string) => house.call('PATCH', '/api/v1/keepalive', { id, url: url(word) })
  const kept = async () => (await house.entries()).find((one) => one.id === id)?.url
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  const field = page.getByLabel('URL')
  await field.fill(url('mine'))
  await change('theirs')
  await expect(page.getByText('ada changed this entry. Your changes are not saved yet.')).toBeVisible()

  await save(page)
  await expect(dialog(page)).toContainText(/just now|seconds? ago/)
  await expect(dialog(page).getByRole('definition')).toHaveText([`Theirs${url('theirs')}`, `Yours${url('mine')}`])
  await expect(dialog(page).getByRole('term')).toHaveText(['URL'])
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(field).toHaveValue(url('mine'))
  expect(await kept()).toBe(url('theirs'))

  await save(page)
  await expect(dialog(page)).toBeVisible()
  // A third edit that this screen has not heard of yet is noticed again.
  const letGo = await holdBack(page, /\/api\/v1\/keepalive\?id=/)
  await change('third')
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(dialog(page).getByRole('definition').first()).toHaveText(`Theirs${url('third')}`)
  letGo()
  expect(await kept()).toBe(url('third'))
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(toasts(page, 'success')).toContainText('Successfully updated entry.')
  expect(await kept()).toBe(url('mine'))

  await field.fill(url('again'))
  await change('last')
  await save(page)
  await dialog(page).getByRole('button', { name: 'Load their version' }).click()
  await expect(field).toHaveValue(url('last'))
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await field.fill(url('after-theirs'))
  await save(page)
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await expect(dialog(page)).toBeHidden()
  await house.remove(id)
})

test('a user whom another admin changed meanwhile is saved over only by choice', async ({ page, house }) => {
  await house.person('contested')
  const read = async () =>
    (
      await house.call<{ id: string; name: string; tags: string[] }>(
        'GET',
        '/api/v1/admin/user?email=contested@example.com',
      )
    ).body
  const { id } = await read()
  await page.goto('/admin/user/modify?email=contested@example.com')
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await house.call('PATCH', '/api/v1/admin/user', { id, name: 'Theirs', tags: ['Verified'] })
  await save(page)
  await expect(dialog(page).getByRole('definition')).toHaveText(['TheirsTheirs', 'YoursMine'])
  await expect(page.getByText('ada changed this user. Your changes are not saved yet.')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(toasts(page, 'success')).toContainText('Successfully edited user.')
  expect(await read()).toMatchObject({ name: 'Mine', tags: ['Verified'] })
  await page.getByLabel('Name', { exact: true }).fill('Mine again')
  await house.call('PATCH', '/api/v1/admin/user', { id, email: 'moved@example.com' })
  await save(page)
  await dialog(page).getByRole('button', { name: 'Load their version' }).click()
  await expect(page).toHaveURL(/moved(@|%40)example\.com/)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mine')
})
