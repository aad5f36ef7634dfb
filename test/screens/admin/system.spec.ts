import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { configuration, writeAudit } from '../../../src/people/audit/log.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { expect, setVisibility, test, toasts } from '../../support/page/kit.ts'
import {
  type CreatedUser,
  createTestUser,
  deleteUser,
  rowOf,
  rows,
  search,
  updateUser,
} from '../../support/page/users.ts'

test.use({ signedInAs: 'ada' })

const cells = (page: Page, text: string) => rowOf(page, text).first().locator('th, td')

async function editOften({ folder }: Instance, { id, email }: CreatedUser, count: number) {
  const db = openSqlite(folder)
  const edit = { actor: configuration, action: 'user.edit', target: { id, name: email } } as const
  const at = Date.now()
  await db.q.transaction().execute(async (tx) => {
    for (let round = 0; round < count; round++) await writeAudit(tx, at + round, edit)
  })
  await db.close()
}

test('the audit log shows time, actor, action, target, changes and source address', async ({ page, instance }) => {
  const alma = await createTestUser(instance, 'alma')
  await updateUser(instance, alma.id, { roles: { Tools: 1 }, status: 1 })
  await deleteUser(instance, alma)
  await page.goto('/admin/audit')
  await expect(page).toHaveTitle('ToolBox - Audit Log')
  await expect(page.getByRole('columnheader')).toHaveText(['When', 'Who', 'What', 'Target', 'Changes', 'From'])
  await search(page, 'Target').fill('alma')
  await expect(rows(page)).toHaveCount(3)
  for (const [index, what] of ['Deleted user', 'Edited user', 'Created user'].entries())
    await expect(rows(page).nth(index).locator('th, td').nth(2)).toHaveText(what)
  await expect(cells(page, 'Edited user')).toHaveText([
    /[AP]M$/,
    'ada@example.com',
    'Edited user',
    'alma@example.com',
    'Status: Active → Inactive; Tools: No Access → Full Access',
    /127\.0\.0\.1|::1/,
  ])
  await test.step('pressing a long change expands it', async () => {
    const change = rowOf(page, 'Created user').getByRole('button', { name: 'Name: alma' })
    const before = await change.boundingBox()
    await change.click()
    await expect(change).toHaveAttribute('aria-expanded', 'true')
    await expect.poll(async () => (await change.boundingBox())?.height).toBeGreaterThan((before?.height ?? 0) * 2)
  })

  await test.step('all columns fit the page width, so nothing is cut off', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    const hidden = () =>
      page.getByRole('region', { name: 'Audit log' }).evaluate((at) => at.scrollWidth - at.clientWidth)
    await expect.poll(hidden).toBe(0)
  })

  await test.step('it is accessible and does not scroll sideways on a phone', async () => {
    await search(page, 'Target').fill('')
    await expect(rowOf(page, 'alma@example.com')).toHaveCount(3)
    expect(await accessibilityViolations(page)).toEqual([])
    await expectFitsPhone(page, '/admin/audit')
  })
})

test('the audit log loads older entries on request until none are left @release', async ({ page, instance }) => {
  const ottilie = await createTestUser(instance, 'ottilie')
  await editOften(instance, ottilie, 201)
  const live = page.waitForResponse('**/api/v1/events*')
  await page.goto('/admin/audit?whom=ottilie')
  const older = page.getByRole('button', { name: 'Load older entries' })
  await expect(page.getByText('200 rows')).toBeVisible()
  await expect(rowOf(page, 'Created user')).toHaveCount(0)
  await older.click()
  await expect(page.getByText('202 rows')).toBeVisible()
  // Other tests on this server have left entries as well.
  await expect(async () => {
    if (await older.isVisible()) await older.click()
    expect(await older.count()).toBe(0)
  }).toPass()
  await page.getByRole('button', { name: 'Last' }).click()
  await expect(rowOf(page, 'Created user')).toHaveCount(1)
  const queries: string[] = []
  page.on('request', (request) => queries.push(new URL(request.url()).search))
  await live
  // The second round reveals requests that the first one triggered late.
  for (const _ of [1, 2]) {
    await setVisibility(page, 'hidden')
    const auditResponse = page.waitForResponse('**/api/v1/admin/audit')
    await setVisibility(page, 'visible')
    await auditResponse
  }
  expect(queries.filter((query) => query.includes('before'))).toEqual([])
})

test('an admin can back up now, and sees that backups are not encrypted', async ({ page, instance }) => {
  await page.goto('/admin/users')
  await page.getByRole('link', { name: 'Backups' }).click()
  await expect(page).toHaveTitle('ToolBox - Backups')
  await expect(page.getByText("New backups aren't encrypted")).toBeVisible()
  await expect(page.getByText('ToolBox makes a backup every day')).toBeVisible()
  const backupResponse = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Back up now' }).click()
  await expect(toasts(page, 'success', 'Backed up the database.')).toBeVisible()
  const { name } = await (await backupResponse).json()
  expect(name).toMatch(/^toolbox-.+Z\.db$/)
  const row = page.getByRole('row').nth(1)
  await expect(row.getByRole('cell').first()).toHaveText(name)
  await expect(row.getByRole('cell').nth(4)).toHaveText('Yes')
  await expect(page.getByRole('button', { name: /^Download/ })).toHaveCount(0)
  expect(readFileSync(join(instance.folder, 'backups', name), 'latin1').startsWith('SQLite format 3')).toBe(true)
  expect(await accessibilityViolations(page)).toEqual([])
  await expectFitsPhone(page, '/admin/backups')
})

test('the Admin menu leads to the results of the server’s self-check', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Admin', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Health' }).click()
  await expect(page).toHaveTitle('ToolBox - Health')
  const amiss = page.getByRole('region', { name: 'Needs attention' })
  await expect(amiss.getByRole('status')).toHaveText(/^\d+ warnings?$/)
  const address = amiss.getByRole('listitem').filter({ hasText: 'Address' })
  await expect(address).toContainText('can be opened only on this computer')
  await expect(address).toContainText('Warning: Address')
  await expect(page.getByRole('region', { name: 'All good' }).getByRole('listitem').first()).toContainText('Address')
  expect(await accessibilityViolations(page)).toEqual([])
  await expectFitsPhone(page, '/admin/health')
  await amiss.getByRole('link', { name: 'Users' }).first().click()
  await expect(page).toHaveURL('/admin/users')
})
