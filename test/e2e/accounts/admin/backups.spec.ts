import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, test, toasts } from '../../../support/page/kit.ts'

test.use({ visitor: 'ada' })

test('an admin backs up now and reads what there is and what is missing', async ({ page, house }) => {
  await page.goto('/admin/users')
  await page.getByRole('link', { name: 'Backups' }).click()
  await expect(page).toHaveTitle('ToolBox - Backups')
  await expect(page.getByText("New backups aren't encrypted")).toBeVisible()
  await expect(page.getByText('ToolBox makes a backup every day')).toBeVisible()
  await page.getByRole('button', { name: 'Back up now' }).click()
  await expect(toasts(page, 'success', 'Backed up the database.')).toBeVisible()
  const row = page.getByRole('row').nth(1)
  await expect(row.getByRole('cell').first()).toHaveText(/^toolbox-.+Z\.db$/)
  await expect(row.getByRole('cell').nth(4)).toHaveText('Yes')
  await expect(page.getByRole('button', { name: /^Download/ })).toHaveCount(0)
  const name = await row.getByRole('cell').first().innerText()
  expect(readFileSync(join(house.folder, 'backups', name), 'latin1').startsWith('SQLite format 3')).toBe(true)
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, '/admin/backups')
})
