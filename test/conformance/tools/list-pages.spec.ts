import type { Locator, Page } from '@playwright/test'
import { emptyList, entryOf, entryTools, rootOf, runOf } from '../../support/page/entry-tools.ts'
import { nextCall } from '../../support/page/forms.ts'
import { cellOf, expect, go, test, toasts } from '../../support/page/kit.ts'
import { dismiss, person } from '../../support/page/users.ts'
import { admin } from '../../support/process.ts'

test.use({ visitor: 'ada', viewport: { width: 1400, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] })

const stampForm = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/
const rows = (page: Page) => page.locator('tbody tr').filter({ has: page.getByRole('link', { name: 'Edit' }) })
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const search = (page: Page, column: string) => page.getByLabel(`Search ${column}`)
const nothing = (page: Page) => page.getByText('No rows match your search.')
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()')

for (const tool of entryTools) {
  const { contract, columns, foundByPart } = tool
  test(`${contract.label}${runOf(tool)}`, async ({ page, house, holds }) => {
    await emptyList(house, tool)
    const all = []
    for (const name of ['first', 'second', 'asleep'])
      all.push(await entryOf(house, tool, name, { status: name !== 'asleep' }))
    const [first, , asleep] = all.map(({ id }) => id) as [string, string, string]
    const cell = (id: string, column: string) => cellOf(rowOf(page, id), column)

    await holds(
      `It asks for them by GET ${contract.path}/list; the title is 'ToolBox - ${contract.label} List'.`,
      async () => {
        const call = await nextCall(page, 'GET', () => page.goto(`${rootOf(tool)}/viewlist`), '/list')
        expect(call.path).toMatch(new RegExp(`^${contract.path}/list\\?`))
        await expect(page).toHaveTitle(`ToolBox - ${contract.label} List`)
        await expect(rows(page)).toHaveCount(3)
      },
    )
    await holds(`Its columns are ${columns.join(', ')}.`, async () => {
      await expect(page.getByRole('columnheader')).toHaveText(columns as string[])
    })
    await holds('The status reads Active or Inactive, the owner is an email address.', async () => {
      await expect(cell(first, 'Status')).toHaveText('Active')
      await expect(cell(asleep, 'Status')).toHaveText('Inactive')
      await expect(cell(first, 'Owner')).toHaveText(admin.email)
    })
    await holds('The created timestamp reads dd/MM/yyyy hh:mm:ss a, with its age as a tooltip.', async () => {
      await expect(cell(first, 'Created Timestamp')).toHaveText(stampForm)
      await expect(cell(first, 'Created Timestamp').locator('[title]')).toHaveAttribute(
        'title',
        /^(.+ ago|just now) · /,
      )
    })
    await holds('ID finds the whole id only.', async () => {
      await search(page, 'ID').fill(first.slice(0, 8))
      await expect(nothing(page)).toBeVisible()
      await search(page, 'ID').fill(first)
      await expect(rows(page)).toHaveCount(1)
      await search(page, 'ID').fill('')
      await expect(rows(page)).toHaveCount(3)
    })
    for (const column of foundByPart)
      await holds(`${column} finds what includes the text, whatever the case.`, async () => {
        const part = (await cell(first, column).innerText()).slice(-5)
        await search(page, column).fill(part.toUpperCase())
        await expect(rows(page)).toHaveCount(1)
        await expect(rowOf(page, first)).toBeVisible()
        await search(page, column).fill('')
        await expect(rows(page)).toHaveCount(3)
      })
    await holds('Status finds the whole word, whatever the case.', async () => {
      await search(page, 'Status').fill('inactive')
      await expect(rows(page)).toHaveCount(1)
      await expect(rowOf(page, asleep)).toBeVisible()
      await search(page, 'Status').fill('Active')
      await expect(rows(page)).toHaveCount(2)
      await search(page, 'Status').fill('Activ')
      await expect(nothing(page)).toBeVisible()
      await search(page, 'Status').fill('')
      await expect(rows(page)).toHaveCount(3)
    })
    await holds('Owner and Created Timestamp find letters in their order, with others between them.', async () => {
      await search(page, 'Owner').fill('adexmpl')
      await search(page, 'Created Timestamp').fill(`${new Date().getFullYear()}M`)
      await expect(page).toHaveURL(/owner=adexmpl.*createdAt=/)
      await expect(rows(page)).toHaveCount(3)
      await search(page, 'Owner').fill('lpmxeda')
      await expect(nothing(page)).toBeVisible()
    })
    await holds('Actions copies the id and leads to the modify page, by the keyboard too.', async () => {
      await go(page, `${rootOf(tool)}/viewlist?id=${first}`)
      await expect(rows(page)).toHaveCount(1)
      await page.getByRole('button', { name: 'Copy ID' }).click()
      await expect(toasts(page, 'info', first)).toBeVisible()
      expect(await clipboard(page)).toBe(first)
      await page.getByRole('link', { name: 'Edit' }).press('Enter')
      await expect(page).toHaveURL(`${rootOf(tool)}/modify?id=${first}`)
      await expect(page.getByRole('textbox', { name: 'ID', exact: true })).toHaveValue(first)
    })
    await go(page, rootOf(tool))
    await expect(page).toHaveTitle(`ToolBox - ${contract.label}`)
    await emptyList(house, tool)
    await holds('An empty list says so and leads to a first entry.', async () => {
      await go(page, `${rootOf(tool)}/viewlist`)
      await expect(page.getByText('Nothing here yet')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Create an entry' })).toHaveAttribute(
        'href',
        `${rootOf(tool)}/create`,
      )
    })
  })
}

test('Users @release', async ({ page, house, holds }) => {
  const nico = await person(house, 'nico')
  const columns = ['Account Name', 'Email', 'Last Usage Timestamp', 'User ID', 'Roles', 'Tags', 'Providers', 'Actions']
  const ada = rowOf(page, admin.email)
  const theirs = rowOf(page, nico.email)
  const lastUse = (row: Locator) => cellOf(row, 'Last Usage Timestamp')

  await holds("It asks for them by GET /api/v1/admin/users; the title is 'ToolBox - List Users'.", async () => {
    const call = await nextCall(page, 'GET', () => page.goto('/admin/users'), '/admin/')
    expect(call.path).toMatch(/^\/api\/v1\/admin\/users\?/)
    await expect(page).toHaveTitle('ToolBox - List Users')
    await expect(ada).toBeVisible()
  })
  await holds(`Its columns are ${columns.join(', ')}.`, async () => {
    await expect(page.getByRole('columnheader')).toHaveText(columns)
    const cells = ['', 'nicoActive', nico.email, '–', nico.id, '–', '–', 'Credentials', '']
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
  await holds('The last usage reads dd/MM/yyyy hh:mm:ss a, with its age as a tooltip; a dash for never.', async () => {
    await expect(lastUse(ada)).toHaveText(stampForm)
    await expect(lastUse(ada).locator('[title]')).toHaveAttribute('title', /^(.+ ago|just now) · /)
    await expect(lastUse(theirs)).toHaveText('–')
  })
  await holds('Accounts that were never used come last, whichever way it is sorted.', async () => {
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
    await holds(`${column} finds letters in their order, with others between them.`, async () => {
      await search(page, column).fill(text)
      await expect(other).toHaveCount(0)
      await expect(found).toHaveCount(1)
      await search(page, column).fill('')
      await expect(other).toHaveCount(1)
    })
  await holds('Actions copies the email address and leads to the form of its user.', async () => {
    await theirs.getByRole('button', { name: 'Copy Email' }).press('Enter')
    await expect(toasts(page, 'info', nico.email)).toBeVisible()
    expect(await clipboard(page)).toBe(nico.email)
    await theirs.getByRole('link', { name: 'Edit' }).press('Enter')
    await expect(page).toHaveURL(`/admin/user/modify?email=${encodeURIComponent(nico.email)}`)
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('nico')
  })
  await dismiss(house, nico)
})
