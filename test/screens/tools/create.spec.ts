import type { Page } from '@playwright/test'
import {
  entryTools,
  mainField,
  readEntry,
  releaseTagOf,
  removeEntry,
  resetButton,
  rootOf,
  saveButton,
  unsaved,
} from '../../support/page/entry-tools.ts'
import { expectButtonsAbove, expectLeavePrompts, nextCall } from '../../support/page/forms.ts'
import { delayRequests, expect, test, toasts } from '../../support/page/kit.ts'
import { createRelay } from '../../support/page/relay.ts'
import { admin } from '../../support/process.ts'

test.use({ signedInAs: 'ada' })

const active = (page: Page) => page.getByRole('switch', { name: 'Active' })
const idOf = (page: Page) => new URL(page.url()).searchParams.get('id') ?? ''
const create = '/tools/keepalive/create'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const tool = '/tools/keepalive'

for (const tool of entryTools) {
  const { field, contract } = tool
  test(`${contract.label}${releaseTagOf(tool)}`, async ({ page, instance, holds }) => {
    const create = `${rootOf(tool)}/create`
    const url = mainField(page, tool)
    const warning = toasts(page, 'warning')
    await page.goto(rootOf(tool))
    await page.getByRole('main').getByRole('link', { name: 'Create' }).click()
    await expect(url).toBeVisible()

    await holds(`The title is 'ToolBox - Create ${contract.label}'.`, async () => {
      await expect(page).toHaveTitle(`ToolBox - Create ${contract.label}`)
    })
    await holds('Above the form are only Save and Reset.', () => expectButtonsAbove(page, ['Save', 'Reset']))
    const isBlank = async () => {
      await expect(url).toHaveValue('')
      await expect(active(page)).toBeChecked()
      await expect(page.getByLabel('Owner')).toHaveValue(admin.email)
      await expect(unsaved(page)).toHaveCount(0)
    }
    await holds('A blank entry is active, has no URL, and belongs to the current user.', isBlank)
    await holds('Leaving a blank form does not ask.', async () => {
      await page.getByRole('link', { name: 'View list' }).click()
      await expect(page).toHaveURL(`${rootOf(tool)}/viewlist`)
      await page.goBack()
      await expect(saveButton(page)).toBeVisible()
    })
    await holds(`Save is disabled while ${field.label} is empty, or only spaces.`, async () => {
      await expect(saveButton(page)).toBeDisabled()
      await url.fill('   ')
      await expect(saveButton(page)).toBeDisabled()
    })
    await holds(`Hovering over Save repeatedly warns once: 'Missing fields:' ${field.label}.`, async () => {
      for (let times = 0; times < 3; times++) {
        await saveButton(page).hover()
        await page.getByRole('heading', { level: 1 }).hover()
      }
      await expect(warning).toHaveCount(1)
      await expect(warning).toContainText('Missing fields:')
      await expect(warning.getByRole('listitem')).toHaveText([field.label])
    })
    await holds('Hovering over Save warns again after the toast was closed.', async () => {
      await warning.getByRole('button', { name: 'Close notification' }).click()
      await expect(warning).toHaveCount(0)
      await saveButton(page).hover()
      await expect(warning).toHaveCount(1)
    })
    await holds('With a URL, Save is enabled, and the edit counts as an unsaved change.', async () => {
      await url.fill(tool.address(instance, 'made'))
      await expect(saveButton(page)).toBeEnabled()
      await expect(unsaved(page)).toBeVisible()
    })
    await holds('Reset restores the blank form and the status without asking.', async () => {
      await active(page).uncheck()
      await resetButton(page).click()
      await isBlank()
      await expect(page).toHaveURL(create)
    })
    await holds('Switching only the status is an unsaved change.', async () => {
      await active(page).uncheck()
      await expect(unsaved(page)).toBeVisible()
    })
    await holds('Leaving unsaved changes by a link, the Back button or a reload asks first.', async () => {
      await expectLeavePrompts(page, page.getByRole('link', { name: 'View list' }))
      await expect(page).toHaveURL(create)
      await expect(active(page)).not.toBeChecked()
    })
    await holds(`${field.refused.is} is refused at its field, and nothing is sent.`, async () => {
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.method()))
      await url.fill(field.refused.text)
      await saveButton(page).click()
      await expect(url).toHaveAttribute('aria-invalid', 'true')
      await expect(page.getByRole('alert').filter({ hasText: field.refused.why })).toBeVisible()
      await expect(page).toHaveURL(create)
      expect(sent).not.toContain('POST')
    })

    const address = tool.address(instance, 'made')
    await holds(`The keyboard suffices to fill in and save: POST ${contract.path}/ with the XSRF token.`, async () => {
      await url.focus()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(address)
      await active(page).focus()
      await page.keyboard.press('Space')
      await expect(active(page)).toBeChecked()
      const call = await nextCall(page, 'POST', () => page.keyboard.press('ControlOrMeta+s'))
      expect(call).toMatchObject({ path: `${contract.path}/`, guarded: true })
      expect(call.body).toMatchObject({ [field.name]: address, status: true, owner: admin.email })
    })
    await holds("A success toast reads 'Successfully created entry.'", async () => {
      await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
    })
    await holds('The modify page opens with the ID of the new entry in its URL.', async () => {
      await expect(page).toHaveURL(/\/modify\?id=[\w-]+$/)
      expect(new URL(page.url()).pathname).toBe(`${rootOf(tool)}/modify`)
      await expect(page.getByLabel('ID', { exact: true })).toHaveValue(idOf(page))
      await expect(url).toHaveValue(address)
    })
    await holds('The stored entry has an ID, a status, a history array, an owner and timestamps.', async () => {
      const { body } = await readEntry(instance, tool, idOf(page))
      const instants = { createdAt: expect.any(Number), updatedAt: expect.any(Number) }
      const history = expect.any(Array)
      expect(body).toMatchObject({ id: idOf(page), status: true, history, owner: admin.email, ...instants })
    })
    const id = idOf(page)
    await page.goto('about:blank')
    await removeEntry(instance, tool, id)
  })
}

test('errors for missing or invalid fields last until fixed; then Enter saves', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  await page.goto(create)
  const url = page.getByLabel('URL')
  await url.press('Enter')
  await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
  await url.fill('http://10.0.0.7/')
  await save(page).click()
  await expect(url).toHaveAttribute('aria-invalid', 'true')
  await expect(toasts(page, 'danger', 'This address is private')).toBeVisible()
  await url.fill(instance.target.url('/by-enter'))
  await expect(toasts(page, 'danger')).toHaveCount(0)
  await expect(url).not.toHaveAttribute('aria-invalid')

  await test.step('one click selects the interval of a host', async () => {
    await page.getByText('Render', { exact: true }).click()
    await url.press('Enter')
    await expect(page).toHaveURL(/\/tools\/keepalive\/modify\?id=[\w-]+$/)
    await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
    await expect(url).toHaveValue(instance.target.url('/by-enter'))
    await expect(page.getByRole('radio', { name: 'Render' })).toBeChecked()
  })
  await url.fill(instance.target.url('/by-enter-again'))
  await page.getByLabel('Owner').press('Enter')
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  const [entry] = (await instance.entries()).filter(({ url }) => url.endsWith('/by-enter-again'))
  await instance.remove(entry?.id ?? '')
})

test('the mouse wheel scrolls past a number field without changing it @release', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 400 })
  await page.goto(create)
  const number = page.getByLabel('Notify after')
  await number.fill('7')
  await number.hover()
  const offset = () => page.evaluate<number>('scrollY')
  const before = await offset()
  await page.mouse.wheel(0, -120)
  await expect.poll(offset).toBeLessThan(before)
  await expect(number).toHaveValue('7')
})

test('saving again before the modify page loads creates only one entry', async ({ page, instance }) => {
  const show = await delayRequests(page, /\/assets\/modify/)
  await page.goto(create)
  await page.getByLabel('URL').fill(instance.target.url('/made-once'))
  await page.getByLabel('URL').press('Enter')
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await page.getByLabel('URL').press('Enter')
  await page.keyboard.press('Control+s')
  show()
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  const created = (await instance.entries()).filter(({ url }) => url.endsWith('/made-once'))
  expect(created).toHaveLength(1)
  await instance.remove(created[0]?.id ?? '')
})

test('text typed while a new entry is being created is kept', async ({ page, instance }) => {
  const [name, url] = [page.getByLabel('Name', { exact: true }), page.getByLabel('URL')]
  const answer = await delayRequests(page, '**/api/v1/keepalive/')
  const show = await delayRequests(page, /\/assets\/modify/)
  await page.goto(create)
  await url.fill(instance.target.url('/typed-on'))
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keepalive/'))
  await url.press('Enter')
  await sent
  await name.fill('Typed before it was made')
  answer()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(name).toHaveValue('Typed before it was made')
  await url.fill(instance.target.url('/typed-after'))
  await page.getByLabel('Owner').press('Enter')
  await name.focus()
  await page.keyboard.press('End')
  await page.evaluate(`addEventListener('focusin', ({ target }) => (window.focused ??= []).push(target.tagName))`)
  show()
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  // Keys pressed while anything else has the focus would be lost, or run shortcuts.
  expect(await page.evaluate('window.focused')).toEqual(['INPUT'])
  await page.keyboard.type(', and after')
  await expect(name).toHaveValue('Typed before it was made, and after')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  const created = (await instance.entries()).filter((entry) => entry.url.endsWith('/typed-after'))
  expect(created).toMatchObject([{ name: 'Typed before it was made, and after' }])
  await instance.remove(created[0]?.id ?? '')
})

test('Reset waits while a new entry is being created', async ({ page, instance }) => {
  const answer = await delayRequests(page, '**/api/v1/keepalive/')
  await page.goto(create)
  const url = page.getByLabel('URL')
  await url.fill(instance.target.url('/not-reset'))
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keepalive/'))
  await resetButton(page).focus()
  await page.keyboard.press('ControlOrMeta+s')
  await sent
  await expect(resetButton(page)).toBeFocused()
  await expect(resetButton(page)).toBeDisabled()
  await page.keyboard.press('Enter')
  await expect(url).toHaveValue(instance.target.url('/not-reset'))
  answer()
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  await expect(url).toHaveValue(instance.target.url('/not-reset'))
  await instance.remove(idOf(page))
})

test('a duplicate starts with the settings of its original as a new entry', async ({ page, instance }) => {
  const id = await instance.entry('/copied', { status: false })
  await instance.call('PATCH', '/api/v1/keepalive', { id, interval: 13, name: 'Original', notifyAfter: 5 })
  await page.goto(`${tool}/viewlist?id=${id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(page).toHaveURL(`${tool}/create?from=${id}`)
  await expect(page.getByRole('heading', { name: 'Create' })).toBeVisible()
  await expect(page.getByLabel('URL')).toHaveValue(instance.target.url('/copied'))
  await expect(page.getByLabel('Name')).toHaveValue('Original copy')
  await expect(page.getByLabel('Notify after')).toHaveValue('5')
  await expect(page.getByRole('radio', { name: 'Render' })).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.getByRole('link', { name: 'Duplicate' })).toBeVisible()
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await expect(page.getByRole('heading', { name: 'Create' })).toBeVisible()
  await expect(page.getByLabel('URL')).toHaveValue(instance.target.url('/copied'))
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByLabel('URL')).toHaveValue('')
  const copies = (await instance.entries()).filter(({ url }) => url.endsWith('/copied'))
  expect(copies).toHaveLength(2)
  for (const { id } of copies) await instance.remove(id)
})

test('a duplicate of an entry with a long name shortens it without splitting an emoji', async ({ page, instance }) => {
  const id = await instance.entry('/long-name', { status: false, name: `${'a'.repeat(74)}😀bbbb` })
  await page.goto(`${create}?from=${id}`)
  await expect(page.getByLabel('Name')).toHaveValue(`${'a'.repeat(74)} copy`)
  await saveButton(page).click()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  for (const one of [id, idOf(page)]) await instance.remove(one)
})

test('duplicating a relay does not copy its secrets @release', async ({ page, instance }) => {
  const { id } = await createRelay(instance, instance.discord.webhook())
  await page.goto(`/tools/herokudiscordwebhook/create?from=${id}`)
  await expect(page.getByText('Secrets are not copied.')).toBeVisible()
  await expect(page.getByLabel('Discord Webhook URL')).toHaveValue('')
})

test('a URL without a scheme gets https on leaving the field or saving', async ({ page, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 40[04]/)
  await page.goto(`${tool}/create`)
  const field = page.getByLabel('URL')
  await field.fill('app.example.com/health')
  await field.blur()
  await expect(field).toHaveValue('https://app.example.com/health')
  await expect(page.getByRole('region', { name: 'What will happen' })).toContainText('Host: app.example.com')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await page.route('**/api/v1/keepalive/', (route) => route.fulfill({ status: 400, json: { error: 'Not today.' } }))
  await field.fill('other.example.com')
  await page.keyboard.press('ControlOrMeta+s')
  expect((await sent).postDataJSON()).toMatchObject({ url: 'https://other.example.com' })
})

test('on a phone the search offers new entries, and runs precede the form @release', async ({ page, instance }) => {
  const id = await instance.entry('/newest-of-all')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${tool}/modify`)
  await page.getByRole('link', { name: /newest-of-all/ }).click()
  await expect(page).toHaveURL(`${tool}/modify?id=${id}`)
  const history = page.getByRole('heading', { name: 'Run History' })
  const form = page.getByRole('region', { name: 'Entry', exact: true })
  const below = async () => ((await form.boundingBox())?.y ?? 0) - ((await history.boundingBox())?.y ?? 0)
  await expect.poll(below).toBeGreaterThan(0)
})
