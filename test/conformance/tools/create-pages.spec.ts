import type { Page } from '@playwright/test'
import {
  entryTools,
  mainField,
  readEntry,
  removeEntry,
  resetButton,
  rootOf,
  runOf,
  saveButton,
  unsaved,
} from '../../support/page/entry-tools.ts'
import { asksBeforeLeaving, nextCall, standAbove } from '../../support/page/forms.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import { admin } from '../../support/process.ts'

test.use({ visitor: 'ada' })

const active = (page: Page) => page.getByRole('switch', { name: 'Active' })

for (const tool of entryTools) {
  const { field, contract } = tool
  test(`${contract.label}${runOf(tool)}`, async ({ page, house, holds }) => {
    const create = `${rootOf(tool)}/create`
    const url = mainField(page, tool)
    const warning = toasts(page, 'warning')
    await page.goto(rootOf(tool))
    await page.getByRole('main').getByRole('link', { name: 'Create' }).click()
    await expect(url).toBeVisible()

    await holds(`The title is 'ToolBox - Create ${contract.label}'.`, async () => {
      await expect(page).toHaveTitle(`ToolBox - Create ${contract.label}`)
    })
    await holds('Above the form stand Save and Reset, and nothing else.', () => standAbove(page, ['Save', 'Reset']))
    const isBlank = async () => {
      await expect(url).toHaveValue('')
      await expect(active(page)).toBeChecked()
      await expect(page.getByLabel('Owner')).toHaveValue(admin.email)
      await expect(unsaved(page)).toHaveCount(0)
    }
    await holds('A blank entry is active, has no address, and belongs to whoever makes it.', isBlank)
    await holds('A blank form may be left without a question.', async () => {
      await page.getByRole('link', { name: 'View list' }).click()
      await expect(page).toHaveURL(`${rootOf(tool)}/viewlist`)
      await page.goBack()
      await expect(saveButton(page)).toBeVisible()
    })
    await holds(`Save is disabled while ${field.label} is empty, spaces included.`, async () => {
      await expect(saveButton(page)).toBeDisabled()
      await url.fill('   ')
      await expect(saveButton(page)).toBeDisabled()
    })
    await holds(`At the pointer, it warns: 'Missing fields:' and ${field.label}, once however often.`, async () => {
      for (let times = 0; times < 3; times++) {
        await saveButton(page).hover()
        await page.getByRole('heading', { level: 1 }).hover()
      }
      await expect(warning).toHaveCount(1)
      await expect(warning).toContainText('Missing fields:')
      await expect(warning.getByRole('listitem')).toHaveText([field.label])
    })
    await holds('It warns again, once that toast was closed.', async () => {
      await warning.getByRole('button', { name: 'Close notification' }).click()
      await expect(warning).toHaveCount(0)
      await saveButton(page).hover()
      await expect(warning).toHaveCount(1)
    })
    await holds('With the address, Save is enabled, and any edit counts as an unsaved change.', async () => {
      await url.fill(tool.address(house, 'made'))
      await expect(saveButton(page)).toBeEnabled()
      await expect(unsaved(page)).toBeVisible()
    })
    await holds('Reset restores the blank form, the status too, without a question.', async () => {
      await active(page).uncheck()
      await resetButton(page).click()
      await isBlank()
      await expect(page).toHaveURL(create)
    })
    await holds('A switched status alone is an unsaved change.', async () => {
      await active(page).uncheck()
      await expect(unsaved(page)).toBeVisible()
    })
    await holds('Unsaved changes are not left by a link, the way back or a reload without a question.', async () => {
      await asksBeforeLeaving(page, page.getByRole('link', { name: 'View list' }))
      await expect(page).toHaveURL(create)
      await expect(active(page)).not.toBeChecked()
    })
    await holds(`${field.refused.is} is refused beside its field, and nothing is sent.`, async () => {
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.method()))
      await url.fill(field.refused.text)
      await saveButton(page).click()
      await expect(url).toHaveAttribute('aria-invalid', 'true')
      await expect(page.getByRole('alert').filter({ hasText: field.refused.why })).toBeVisible()
      await expect(page).toHaveURL(create)
      expect(sent).not.toContain('POST')
    })

    const address = tool.address(house, 'made')
    await holds(
      `By keyboard alone it is filled in and saved: POST ${contract.path}/ with the XSRF token.`,
      async () => {
        await url.focus()
        await page.keyboard.press('ControlOrMeta+a')
        await page.keyboard.insertText(address)
        await active(page).focus()
        await page.keyboard.press('Space')
        await expect(active(page)).toBeChecked()
        const call = await nextCall(page, 'POST', () => page.keyboard.press('ControlOrMeta+s'))
        expect(call).toMatchObject({ path: `${contract.path}/`, guarded: true })
        expect(call.body).toMatchObject({ [field.name]: address, status: true, owner: admin.email })
      },
    )
    await holds("A success toast says 'Successfully created entry.'", async () => {
      await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
    })
    await holds('The screen goes on to the modify page, with the id of the answer in its address.', async () => {
      await expect(page).toHaveURL(/\/modify\?id=[\w-]+$/)
      expect(new URL(page.url()).pathname).toBe(`${rootOf(tool)}/modify`)
      await expect(page.getByLabel('ID', { exact: true })).toHaveValue(idOf(page))
      await expect(url).toHaveValue(address)
    })
    await holds('What is kept has an id, the status, a history as a list, its owner and its instants.', async () => {
      const { body } = await readEntry(house, tool, idOf(page))
      const instants = { createdAt: expect.any(Number), updatedAt: expect.any(Number) }
      const history = expect.any(Array)
      expect(body).toMatchObject({ id: idOf(page), status: true, history, owner: admin.email, ...instants })
    })
    const id = idOf(page)
    await page.goto('about:blank')
    await removeEntry(house, tool, id)
  })
}

const idOf = (page: Page) => new URL(page.url()).searchParams.get('id') ?? ''
