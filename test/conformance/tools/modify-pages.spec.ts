import type { Page } from '@playwright/test'
import {
  type EntryTool,
  entryTools,
  mainField,
  readEntry,
  removeEntry,
  resetButton,
  restingEntry,
  rootOf,
  runOf,
  saveButton,
  unsaved,
} from '../../support/page/entry-tools.ts'
import { asksBeforeLeaving, nextCall, standAbove } from '../../support/page/forms.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'

test.use({ visitor: 'ada', provoked: [/status of 404/] })

const finder = (page: Page) => page.getByLabel('Enter your ID')
const idField = (page: Page) => page.getByLabel('ID', { exact: true })
const active = (page: Page) => page.getByRole('switch', { name: 'Active' })
const modify = (tool: EntryTool) => `${rootOf(tool)}/modify`

for (const tool of entryTools) {
  const { contract, field } = tool

  test(`${contract.label}: find, change, reset${runOf(tool)}`, async ({ page, house, holds }) => {
    const { id } = await restingEntry(house, tool, 'found')
    const url = mainField(page, tool)
    await page.goto(modify(tool))

    await holds(`The title is 'ToolBox - Modify ${contract.label}'.`, async () => {
      await expect(page).toHaveTitle(`ToolBox - Modify ${contract.label}`)
    })
    await holds("Until an entry is loaded there is only a form 'Enter your ID' with a Search button.", async () => {
      await expect(finder(page)).toHaveAttribute('required')
      await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(1)
      await expect(page.getByRole('main').getByRole('button')).toHaveText(['Search'])
    })
    await holds('An id that nobody has leads back to the search, with a danger toast of why.', async () => {
      await finder(page).fill('nobody-has-this')
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await expect(page).toHaveURL(`${modify(tool)}?id=nobody-has-this`)
      await expect(toasts(page, 'danger', /not found|no .*entry/i)).toBeVisible()
      await expect(finder(page)).toBeVisible()
    })
    await holds(`By keyboard alone an entry is found: GET ${contract.path}?id=, the id in the address.`, async () => {
      await finder(page).fill(` ${id} `)
      const call = await nextCall(page, 'GET', () => finder(page).press('Enter'), new RegExp(`${contract.path}$`))
      expect(call.path).toBe(`${contract.path}?id=${id}`)
      await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      await expect(idField(page)).toHaveValue(id)
      await expect(url).toHaveValue(tool.address(house, 'found'))
      await expect(finder(page)).toHaveCount(0)
    })
    await holds('Save, Delete and Reset stand above the form of a loaded entry.', () =>
      standAbove(page, ['Save', 'Delete', 'Reset']),
    )
    await holds("A card 'Badge' shows how the entry is doing, as Markdown to be copied.", async () => {
      const card = page.getByRole('region', { name: 'Badge' })
      await expect(card.getByRole('img')).toHaveJSProperty('complete', true)
      await expect(card.getByRole('img')).not.toHaveJSProperty('naturalWidth', 0)
      await expect(card.locator('code').filter({ hasText: 'Status' })).toHaveText(
        /^!\[Status\]\(http.+\/api\/v1\/badges\/[\w-]+\.svg\)$/,
      )
      await expect(card.getByRole('button', { name: 'Copy Markdown' })).toBeVisible()
    })
    await holds('The id is only there to read.', async () => {
      await expect(idField(page)).not.toBeEditable()
    })
    await holds(
      `Save is disabled while ${field.label} is empty, and warns at the pointer of what is missing.`,
      async () => {
        await url.fill('')
        await expect(saveButton(page)).toBeDisabled()
        await saveButton(page).hover()
        await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
        await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText([field.label])
      },
    )
    await holds('Unsaved changes are not left by a link, the way back or a reload without a question.', async () => {
      await asksBeforeLeaving(page, page.getByRole('main').getByRole('link', { name: contract.label }))
      await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      await expect(unsaved(page)).toBeVisible()
    })
    await holds(`Ctrl+S saves: PATCH ${contract.path} with the id and the XSRF token.`, async () => {
      await url.fill(tool.address(house, 'changed'))
      await active(page).uncheck()
      const call = await nextCall(page, 'PATCH', () => page.keyboard.press('ControlOrMeta+s'))
      expect(call).toMatchObject({ path: contract.path, guarded: true })
      expect(call.body).toMatchObject({ id, [field.name]: tool.address(house, 'changed'), status: false })
    })
    await holds(
      "A success toast says 'Successfully updated entry.', and the same entry stays loaded, as saved.",
      async () => {
        await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
        await expect(unsaved(page)).toHaveCount(0)
        await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
        await page.reload()
        await expect(url).toHaveValue(tool.address(house, 'changed'))
        await expect(active(page)).not.toBeChecked()
      },
    )
    await holds('Reset clears the form and returns to the base route, without a question.', async () => {
      await url.fill('https://example.com/other')
      await resetButton(page).click()
      await expect(page).toHaveURL(modify(tool))
      await expect(finder(page)).toHaveValue('')
      await expect(saveButton(page)).toHaveCount(0)
    })
    await removeEntry(house, tool, id)
  })

  test(`${contract.label}: delete${runOf(tool)}`, async ({ page, house, holds }) => {
    const { id } = await restingEntry(house, tool, 'short-lived')
    const remove = page.getByRole('button', { name: 'Delete' })
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await page.goto(`${modify(tool)}?id=${id}`)
    await expect(idField(page)).toHaveValue(id)

    await holds(
      `Delete asks first: 'Delete {id} ?', 'Are you sure you want to delete this ${contract.noun}?'`,
      async () => {
        await remove.click()
        await expect(dialog.getByRole('heading')).toHaveText(`Delete ${id} ?`)
        await expect(dialog).toContainText(`Are you sure you want to delete this ${contract.noun}?`)
        await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes, Nuke it'])
      },
    )
    await holds('No closes the question, and nothing is deleted.', async () => {
      await dialog.getByRole('button', { name: 'No' }).click()
      await expect(dialog).toHaveCount(0)
      expect((await readEntry(house, tool, id)).status).toBe(200)
    })
    const again: string[] = []
    await holds(`By keyboard alone it is confirmed: DELETE ${contract.path}?id= with the XSRF token.`, async () => {
      await remove.press('Enter')
      await expect(dialog).toBeVisible()
      page.on('request', (request) => {
        if (request.method() === 'GET' && request.url().endsWith(`${contract.path}?id=${id}`)) again.push(id)
      })
      const confirm = dialog.getByRole('button', { name: 'Yes, Nuke it' })
      const call = await nextCall(page, 'DELETE', () => confirm.press('Enter'))
      expect(call).toMatchObject({ path: `${contract.path}?id=${id}`, guarded: true })
    })
    await holds("A success toast says 'Successfully deleted entry.', and no other toast anything.", async () => {
      await expect(toasts(page)).toHaveText([/Successfully deleted entry\./])
      await expect(dialog).toHaveCount(0)
    })
    if (tool.afterDelete === 'same')
      await holds('Then the same query is asked for again, and the search form is back.', async () => {
        await expect.poll(() => again.length).toBeGreaterThan(0)
        await expect(finder(page)).toHaveValue(id)
        await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      })
    else
      await holds('Then the search form of the blank modify route is back.', async () => {
        await expect(page).toHaveURL(modify(tool))
        await expect(finder(page)).toHaveValue('')
      })
    expect((await readEntry(house, tool, id)).status).toBe(404)
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
}
