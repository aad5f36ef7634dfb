import type { Page } from '@playwright/test'
import { minutes } from '../../../src/shared/time.ts'
import {
  createIdleEntry,
  type EntryTool,
  entryTools,
  mainField,
  readEntry,
  releaseTagOf,
  resetButton,
  rootOf,
  saveButton,
  unsaved,
} from '../../support/page/entry-tools.ts'
import { expectButtonsAbove, expectLeavePrompts, nextCall } from '../../support/page/forms.ts'
import { delayRequests, expect, nextFrame, test, toasts } from '../../support/page/kit.ts'
import * as relay from '../../support/page/relay.ts'

test.use({ signedInAs: 'ada' })

const finder = (page: Page) => page.getByLabel('Enter your ID')
const idField = (page: Page) => page.getByLabel('ID', { exact: true })
const active = (page: Page) => page.getByRole('switch', { name: 'Active' })
const modify = (tool: EntryTool) => `${rootOf(tool)}/modify`
const runs = (page: Page) => page.getByRole('list', { name: 'Runs' }).getByRole('listitem')

for (const tool of entryTools) {
  const { contract, field } = tool

  test(`${contract.label}: find, change, reset, delete${releaseTagOf(tool)}`, async ({
    page,
    instance,
    holds,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 404/)
    const { id } = await createIdleEntry(instance, tool, 'found')
    const url = mainField(page, tool)
    await page.goto(modify(tool))

    await holds(`The title is 'ToolBox - Modify ${contract.label}'.`, async () => {
      await expect(page).toHaveTitle(`ToolBox - Modify ${contract.label}`)
    })
    await holds("Until an entry is loaded, there is only the form 'Enter your ID' with a Search button.", async () => {
      await expect(finder(page)).toHaveAttribute('required')
      await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(1)
      await expect(page.getByRole('main').getByRole('button')).toHaveText(['Search'])
    })
    await holds('An unknown ID returns to the search and shows a danger toast with the reason.', async () => {
      await finder(page).fill('nobody-has-this')
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await expect(page).toHaveURL(`${modify(tool)}?id=nobody-has-this`)
      await expect(toasts(page, 'danger', /not found|no .*entry/i)).toBeVisible()
      await expect(finder(page)).toBeVisible()
    })
    await holds(`Enter in the search sends GET ${contract.path}?id= and adds the ID to the page URL.`, async () => {
      await finder(page).fill(` ${id} `)
      const call = await nextCall(page, 'GET', () => finder(page).press('Enter'), new RegExp(`${contract.path}$`))
      expect(call.path).toBe(`${contract.path}?id=${id}`)
      await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      await expect(idField(page)).toHaveValue(id)
      await expect(url).toHaveValue(tool.address(instance, 'found'))
      await expect(finder(page)).toHaveCount(0)
    })
    await holds('Save, Delete and Reset are above the form of a loaded entry.', () =>
      expectButtonsAbove(page, ['Save', 'Delete', 'Reset']),
    )
    await holds("A card 'Badge' shows the status badge of the entry and its Markdown to copy.", async () => {
      const card = page.getByRole('region', { name: 'Badge' })
      await expect(card.getByRole('img')).toHaveJSProperty('complete', true)
      await expect(card.getByRole('img')).not.toHaveJSProperty('naturalWidth', 0)
      await expect(card.locator('code').filter({ hasText: 'Status' })).toHaveText(
        /^!\[Status\]\(http.+\/api\/v1\/badges\/[\w-]+\.svg\)$/,
      )
      await expect(card.getByRole('button', { name: 'Copy Markdown' })).toBeVisible()
    })
    await holds('The ID is read-only.', async () => {
      await expect(idField(page)).not.toBeEditable()
    })
    await holds(`Save is disabled while ${field.label} is empty, and hovering over it explains why.`, async () => {
      await url.fill('')
      await expect(saveButton(page)).toBeDisabled()
      await saveButton(page).hover()
      await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
      await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText([field.label])
    })
    await holds('Leaving unsaved changes by a link, the Back button or a reload asks first.', async () => {
      await expectLeavePrompts(page, page.getByRole('main').getByRole('link', { name: contract.label }))
      await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      await expect(unsaved(page)).toBeVisible()
    })
    await holds(`Ctrl+S saves: PATCH ${contract.path} with the ID and the XSRF token.`, async () => {
      await url.fill(tool.address(instance, 'changed'))
      await active(page).uncheck()
      const call = await nextCall(page, 'PATCH', () => page.keyboard.press('ControlOrMeta+s'))
      expect(call).toMatchObject({ path: contract.path, guarded: true })
      expect(call.body).toMatchObject({ id, [field.name]: tool.address(instance, 'changed'), status: false })
    })
    await holds("A success toast reads 'Successfully updated entry.', and the saved entry stays loaded.", async () => {
      await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
      await expect(unsaved(page)).toHaveCount(0)
      await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      await page.reload()
      await expect(url).toHaveValue(tool.address(instance, 'changed'))
      await expect(active(page)).not.toBeChecked()
    })
    await holds('Reset clears the form and returns to the base route without asking.', async () => {
      await url.fill('https://example.com/other')
      await resetButton(page).click()
      await expect(page).toHaveURL(modify(tool))
      await expect(finder(page)).toHaveValue('')
      await expect(saveButton(page)).toHaveCount(0)
    })

    const remove = page.getByRole('button', { name: 'Delete' })
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await finder(page).fill(id)
    await finder(page).press('Enter')
    await expect(idField(page)).toHaveValue(id)
    await expect(toasts(page)).toHaveCount(0)
    await holds(`Delete asks: 'Delete {id} ?', 'Are you sure you want to delete this ${contract.noun}?'`, async () => {
      await remove.click()
      await expect(dialog.getByRole('heading')).toHaveText(`Delete ${id} ?`)
      await expect(dialog).toContainText(`Are you sure you want to delete this ${contract.noun}?`)
      await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes, Nuke it'])
    })
    await holds('No closes the dialog and deletes nothing.', async () => {
      await dialog.getByRole('button', { name: 'No' }).click()
      await expect(dialog).toHaveCount(0)
      expect((await readEntry(instance, tool, id)).status).toBe(200)
    })
    const reads: string[] = []
    await holds(`Enter on the confirmation sends DELETE ${contract.path}?id= with the XSRF token.`, async () => {
      await remove.press('Enter')
      await expect(dialog).toBeVisible()
      page.on('request', (request) => {
        if (request.method() === 'GET' && request.url().endsWith(`${contract.path}?id=${id}`)) reads.push(id)
      })
      const confirm = dialog.getByRole('button', { name: 'Yes, Nuke it' })
      const call = await nextCall(page, 'DELETE', () => confirm.press('Enter'))
      expect(call).toMatchObject({ path: `${contract.path}?id=${id}`, guarded: true })
    })
    await holds("A success toast reads 'Successfully deleted entry.', and there is no other toast.", async () => {
      await expect(toasts(page)).toHaveText([/Successfully deleted entry\./])
      await expect(dialog).toHaveCount(0)
    })
    if (tool.afterDelete === 'same')
      await holds('Then the same query runs again, and the search form returns.', async () => {
        await expect.poll(() => reads.length).toBeGreaterThan(0)
        await expect(finder(page)).toHaveValue(id)
        await expect(page).toHaveURL(`${modify(tool)}?id=${id}`)
      })
    else
      await holds('After a deletion, the empty search form returns.', async () => {
        await expect(page).toHaveURL(modify(tool))
        await expect(finder(page)).toHaveValue('')
      })
    expect((await readEntry(instance, tool, id)).status).toBe(404)
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
}

test('Run now starts a run, and runs appear live with SUCCESS or FAIL', async ({ page, instance }) => {
  const id = await instance.entry('/runs')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await expect(runs(page)).toHaveCount(1)
  await expect(runs(page)).toHaveText(/^SUCCESS\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M/)
  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(runs(page)).toHaveCount(2)
  expect(instance.target.visits('/runs')).toBe(2)

  const [url, name, unsaved] = [page.getByLabel('URL'), page.getByLabel('Name'), page.getByText('Unsaved changes')]
  await test.step('a new run does not disturb unsaved text', async () => {
    await url.fill('https://example.com/half-typ')
    instance.target.goDown('/runs')
    await instance.call('POST', `/api/v1/keepalive/run?id=${id}`)
    await expect(runs(page)).toHaveCount(3)
    await expect(runs(page).first()).toContainText('FAIL')
    await expect(runs(page).first()).toContainText('answered 503')
    await expect(url).toHaveValue('https://example.com/half-typ')
    await expect(unsaved).toBeVisible()
  })

  await test.step('text typed during a save is kept and saved by the next one', async () => {
    await url.fill(instance.target.url('/second'))
    const answer = await delayRequests(page, '**/api/v1/keepalive')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.keyboard.press('ControlOrMeta+s')
    await sent
    await name.fill('Typed meanwhile')
    answer()
    await expect(page.getByText('Successfully updated entry.')).toBeVisible()
    await expect(unsaved).toBeVisible()
    await expect(name).toHaveValue('Typed meanwhile')
    await expect(url).toHaveValue(/second$/)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(unsaved).toHaveCount(0)
    const { body } = await instance.call<{ name: string; url: string }>('GET', `/api/v1/keepalive?id=${id}`)
    expect(body).toMatchObject({ name: 'Typed meanwhile', url: instance.target.url('/second') })
  })

  await test.step('a Save pressed during another one runs after it', async () => {
    await name.fill('First')
    const answer = await delayRequests(page, '**/api/v1/keepalive')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await name.press('Enter')
    await sent
    await name.fill('Second')
    await name.press('Enter')
    answer()
    await expect(unsaved).toHaveCount(0)
    const { body } = await instance.call<{ name: string }>('GET', `/api/v1/keepalive?id=${id}`)
    expect(body.name).toBe('Second')
  })
})

test('the loading indicator of a slow entry appears only after 200 ms @release', async ({ page, instance }) => {
  const id = await instance.entry('/slow-to-load')
  await page.clock.install()
  await page.goto('/tools/keepalive/viewlist')
  const link = page.locator(`a[href$="modify?id=${id}"]`).first()
  await link.waitFor()
  const answer = await delayRequests(page, `**/api/v1/keepalive?id=${id}`)
  const request = page.waitForRequest(`**/api/v1/keepalive?id=${id}`)
  await page.clock.pauseAt(Date.now() + minutes(1))
  await link.dispatchEvent('click')
  await request
  const loading = page.getByRole('main').getByRole('status').locator('svg')
  await page.clock.runFor(199)
  await expect(loading).toHaveCount(0)
  await page.clock.runFor(10)
  await expect(loading).toBeVisible()
  answer()
  await page.clock.resume()
  await expect(page.getByRole('textbox', { name: 'URL' })).toHaveValue(/slow-to-load/)
})

test('deleting an entry succeeds even if the live event comes first @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  const { id } = await relay.createRelay(instance, instance.discord.webhook())
  const free = Promise.withResolvers<void>()
  await page.route(`**${relay.api}?id=*`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue()
    const response = await route.fetch()
    await free.promise
    await route.fulfill({ response })
  })
  await page.goto(`${relay.tool}/modify?id=${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(page.getByLabel('Enter your ID')).toBeVisible()
  free.resolve()
  await expect(page).toHaveURL(`${relay.tool}/modify`)
  await expect(toasts(page)).toHaveText([/Successfully deleted entry\./])
})

test('retrying an entry that failed to load keeps the typed text', async ({ page, instance, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 503/)
  const id = await instance.entry('/unloadable')
  const entryCall = `**/api/v1/keepalive?id=${id}`
  page.on('dialog', (prompt) => prompt.accept())
  for (const [path, label] of [
    [`/tools/keepalive/modify?id=${id}`, 'Enter your ID'],
    [`/tools/keepalive/create?from=${id}`, 'URL'],
  ] as const) {
    await page.route(entryCall, (route) => route.fulfill({ status: 503, json: { error: 'Not now.' } }))
    await page.goto(path)
    const field = page.getByLabel(label, { exact: true })
    await field.fill('https://example.com/typed')
    // Add this route before removing the refusal, so that no attempt in between loads the entry.
    await delayRequests(page, entryCall)
    // Simulates returning to the tab.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await nextFrame(page)
    await expect(field).toHaveValue('https://example.com/typed')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
})
