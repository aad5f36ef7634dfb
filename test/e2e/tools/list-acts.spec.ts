import { expect, test, toasts } from '../../support/page/kit.ts'

// What a page that still shows a deleted entry asks for.
test.use({ visitor: 'ada', viewport: { width: 1280, height: 800 }, provoked: [/status of 404/] })

const list = '/tools/keepalive/viewlist'

test('a row has its other acts in a menu: it pauses, which can be undone, and asks before it deletes', async ({
  page,
  house,
}) => {
  const id = await house.entry('/in-a-menu')
  await page.goto(`${list}?id=${id}`)
  const act = async (name: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const status = page.locator('tbody [data-label=Status]')
  await act('Pause')
  const paused = toasts(page, 'success', '1 paused.')
  await expect(paused).toBeVisible()
  await expect(status).toHaveText('Inactive')
  await paused.getByRole('button', { name: 'Undo' }).click()
  await expect(status).toHaveText('Active')
  await act('Delete…')
  const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
  await expect(dialog).toContainText('/in-a-menu')
  await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(toasts(page, 'success', '1 deleted.')).toBeVisible()
})

test('columns are hidden and shown by a menu, and stay so for this user', async ({ page, house }) => {
  const id = await house.entry('/fewer-columns', { status: false })
  await page.goto(list)
  const head = page.getByRole('columnheader', { name: 'Owner' })
  const open = () => page.getByRole('button', { name: 'Columns', exact: true }).click()
  const owner = page.getByRole('menuitemcheckbox', { name: 'Owner' })
  await expect(head).toBeVisible()
  await open()
  await expect(owner).toBeChecked()
  await owner.click()
  await expect(owner).not.toBeChecked()
  await page.keyboard.press('Escape')
  await expect(head).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('columnheader', { name: 'Status' })).toBeVisible()
  await expect(head).toHaveCount(0)
  await page.goto(`${list}?owner=ada`)
  await expect(head, 'a search that acts').toBeVisible()
  await open()
  await page.getByRole('menuitem', { name: 'Reset columns' }).click()
  await page.goto(list)
  await expect(head).toBeVisible()
  await house.remove(id)
})

test('a state that is typed under Status leads to the entries in it, and View list back to them', async ({
  page,
  house,
}) => {
  const id = await house.entry('/typed-state', { status: false })
  await page.goto(list)
  await page.getByLabel('Search Status').fill('Paus')
  await page.getByRole('button', { name: /^Show \d+ paused entr/ }).click()
  await expect(page).toHaveURL(`${list}?health=paused`)
  await expect(page.getByLabel('Search Status')).toHaveValue('')
  await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
  await expect(page).toHaveURL(`${list}?health=paused&sort=url`)
  await page.getByRole('link', { name: /^127.*typed-state/ }).click()
  await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
  await page.getByRole('main').getByRole('link', { name: 'Keep Alive', exact: true }).click()
  await expect(page).toHaveURL(`${list}?health=paused&sort=url`)
  await page.getByLabel('Search Name').fill('no such entry')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(page).toHaveURL(`${list}?sort=url`)
  await house.remove(id)
})
