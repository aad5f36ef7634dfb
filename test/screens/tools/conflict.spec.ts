import type { Page } from '@playwright/test'
import {
  createEntry,
  entryTools,
  mainField,
  releaseTagOf,
  resetButton,
  rootOf,
  saveButton,
} from '../../support/page/entry-tools.ts'
import { confirmDeletion, expectRefusalToast, refusalTestTitle } from '../../support/page/forms.ts'
import { delayRequests, expect, navigate, test, toasts } from '../../support/page/kit.ts'
import * as relay from '../../support/page/relay.ts'
import { createTestUser, deleteUser } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'
import { signedInClient } from '../../support/process.ts'

test.use({ signedInAs: 'ada', allowedConsoleErrors: [/409 \(Conflict\)|status of 40[49]/] })

const dialog = (page: Page, name = 'you in another tab') =>
  page.getByRole('dialog', { name: new RegExp(`^Changed by ${name} `) })
const definitions = (page: Page, name?: string) => dialog(page, name).getByRole('definition')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

test('Conflicting changes by another user', async ({ page, instance, holds }) => {
  const id = await instance.entry('/contested')
  const url = (word: string) => instance.target.url(`/contested?${word}`)
  await createTestUser(instance, 'boris', { Tools: 2 })
  const asBoris = await signedInClient(instance.url, { username: 'boris', password })
  const change = (word: string, call = asBoris) => call('PATCH', '/api/v1/keepalive', { id, url: url(word) })
  const storedEntry = async () => (await instance.entries()).find((one) => one.id === id)
  const field = page.getByLabel('URL')
  const theirs = dialog(page, 'boris')
  const note = page.getByText("boris changed this entry. Your changes aren't saved yet.")
  await page.clock.install()
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await holds('A form with unsaved changes reports the other change and keeps the typed text.', async () => {
    await field.fill(url('mine'))
    await change('theirs')
    await expect(note).toBeVisible()
    await expect(field).toHaveValue(url('mine'))
  })
  await holds('Save then shows a dialog instead: who changed what, when, and what you typed.', async () => {
    await save(page)
    await expect(theirs).toContainText(/just now|seconds? ago/)
    await expect(theirs.getByRole('term')).toHaveText(['URL'])
    const before = `Before${instance.target.url('/contested')}`
    await expect(definitions(page, 'boris')).toHaveText([before, `Theirs${url('theirs')}`, `Yours${url('mine')}`])
    expect((await storedEntry())?.url).toBe(url('theirs'))
  })
  await test.step('the dialog keeps the age of the change up to date', async () => {
    await page.clock.runFor(155_000)
    await expect(theirs).toContainText('3 minutes ago')
  })
  await holds('Escape returns to editing.', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await page.keyboard.press('Escape')
    await expect(theirs).toBeHidden()
    await expect(field).toHaveValue(url('mine'))
    expect((await storedEntry())?.url).toBe(url('theirs'))
  })
  await test.step('another edit that has not reached the page yet is detected, too', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await expect(theirs).toBeVisible()
    const letGo = await delayRequests(page, /\/api\/v1\/keepalive\?id=/)
    await change('third')
    await theirs.getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(definitions(page, 'boris').nth(1)).toHaveText(`Theirs${url('third')}`)
    letGo()
    expect((await storedEntry())?.url).toBe(url('third'))
  })
  await holds("'Save mine anyway' saves the fields you edited and keeps the rest of the other version.", async () => {
    await theirs.getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(theirs).toBeHidden()
    await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
    expect((await storedEntry())?.url).toBe(url('mine'))
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    await change('moved')
    await expect(note).toBeVisible()
    await save(page)
    await expect(definitions(page, 'boris')).toHaveText([`Before${url('mine')}`, `Theirs${url('moved')}`])
    await expect(theirs).toContainText('saves only what you edited (Active) and keeps the rest')
    await theirs.getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(theirs).toBeHidden()
    await expect.poll(storedEntry).toMatchObject({ url: url('moved'), status: false })
  })
  await holds("'Load their version' discards the typed text.", async () => {
    await field.fill(url('again'))
    await change('last')
    await save(page)
    await theirs.getByRole('button', { name: 'Load their version' }).click()
    await expect(field).toHaveValue(url('last'))
    await expect(page.getByText('Unsaved changes')).toBeHidden()
    await field.fill(url('after-theirs'))
    await save(page)
    await expect(page.getByText('Unsaved changes')).toBeHidden()
    await expect(theirs).toBeHidden()
  })
  await test.step('changes of the same user in another tab are labeled as such', async () => {
    await field.fill(url('mine'))
    await change('tab', instance.call)
    const words = "You changed this entry in another tab. The changes on this page aren't saved yet."
    await expect(page.getByText(words)).toBeVisible()
    await save(page)
    const other = [`Before${url('after-theirs')}`, `Other tab${url('tab')}`, `This page${url('mine')}`]
    await expect(definitions(page)).toHaveText(other)
    await dialog(page).getByRole('button', { name: 'Load other version' }).click()
    await expect(field).toHaveValue(url('tab'))
  })
})

test('texts in the dialog do not overlap, even with an entry name @release', async ({ page, instance }) => {
  const id = await instance.entry('/named')
  await instance.call('PATCH', '/api/v1/keepalive', { id, name: 'Shop' })
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await page.getByLabel('URL').fill(instance.target.url('/named?mine'))
  await instance.call('PATCH', '/api/v1/keepalive', { id, url: instance.target.url('/named?theirs') })
  await expect(page.getByText("The changes on this page aren't saved yet.")).toBeVisible()
  await save(page)
  await expect(dialog(page).getByText('Shop', { exact: true })).toBeVisible()
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    // Measure all texts in one call: the age in the dialog may change between calls.
    const boxes = await dialog(page)
      .locator('h2, p, dt, dd, button')
      .evaluateAll((texts) =>
        texts.map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect()
          return { words: text.textContent, left, right, top, bottom }
        }),
      )
    for (const [n, one] of boxes.entries())
      for (const other of boxes.slice(n + 1)) {
        const isApart =
          one.bottom <= other.top + 0.5 ||
          other.bottom <= one.top + 0.5 ||
          one.right <= other.left + 0.5 ||
          other.right <= one.left + 0.5
        expect(isApart, `${one.words} / ${other.words}`).toBe(true)
      }
  }
})

for (const first of ['secret', 'other edit'] as const)
  test(`a new secret does not hide a conflicting edit: ${first} first @release`, async ({ page, instance }) => {
    const { id } = await relay.createRelay(instance, instance.discord.webhook())
    const change = () => instance.call('PATCH', relay.api, { id, showActor: true })
    await page.goto(`${relay.tool}/modify?id=${id}`)
    await relay.unfold(page, 'Message options')
    await page.getByLabel('Thread', { exact: true }).fill('223456789012345678')
    if (first !== 'secret') {
      await change()
      await expect(page.getByText('You changed this entry in another tab.')).toBeVisible()
    }
    await relay.unfold(page, 'Signing secret')
    await page.getByRole('button', { name: 'New secret' }).click()
    await expect(page.getByText('The old secret is valid until')).toBeVisible()
    if (first === 'secret') {
      await expect(page.getByText("The changes on this page aren't saved yet.")).toBeHidden()
      await change()
    }
    await save(page)
    await expect(dialog(page).getByRole('term').filter({ hasText: "Show author's email" })).toBeVisible()
    if (first === 'secret') await expect(dialog(page).getByRole('term')).toHaveCount(1)
    await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(dialog(page)).toBeHidden()
    expect(await relay.read(instance, id)).toMatchObject({ threadId: '223456789012345678', showActor: true })
  })

test('editing a deleted entry or user shows that it was deleted @release', async ({ page, instance }) => {
  const id = await instance.entry('/doomed')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await page.getByLabel('URL').fill(instance.target.url('/mine'))
  await instance.call('PATCH', '/api/v1/keepalive', { id, url: instance.target.url('/theirs') })
  await expect(page.getByText('You changed this entry in another tab.')).toBeVisible()
  await instance.remove(id)
  await expect(page.getByText("This entry was deleted, so your changes can't be saved.")).toBeVisible()
  await expect(page.getByText('You changed this entry in another tab.')).toBeHidden()
  await expect(toasts(page)).toHaveCount(0)
  await expect(page.getByLabel('URL')).toHaveValue(instance.target.url('/mine'))

  const doomed = await createTestUser(instance, 'doomed')
  page.once('dialog', (prompt) => prompt.accept())
  await page.goto(`/admin/user/modify?email=${doomed.email}`)
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await deleteUser(instance, doomed)
  await save(page)
  await expect(page.getByText("This user was deleted, so your changes can't be saved.")).toBeVisible()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mine')
})

for (const tool of entryTools) {
  const { path, label } = tool.contract
  test(`${label}${releaseTagOf(tool)}`, async ({ page, instance, holds }) => {
    const { id } = await createEntry(instance, tool, 'refused')
    const loaded = page.getByLabel('ID', { exact: true })
    // The list is loaded ahead of its screen, which tries again.
    await holds(`${refusalTestTitle('The list')}.`, () =>
      expectRefusalToast(page, 'GET', `${path}/list`, () => page.goto(`${rootOf(tool)}/viewlist`), 2),
    )
    await holds(`${refusalTestTitle('An entry')}, and the search form returns.`, async () => {
      await expectRefusalToast(page, 'GET', path, () => navigate(page, `${rootOf(tool)}/modify?id=${id}`))
      await expect(page.getByLabel('Enter your ID')).toBeVisible()
    })
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await expect(loaded).toHaveValue(id)
    await holds(`${refusalTestTitle('A change')}, and the form keeps it.`, async () => {
      await page.getByRole('switch', { name: 'Active' }).uncheck()
      await expectRefusalToast(page, 'PATCH', path, () => saveButton(page).click())
      await expect(page.getByText('Unsaved changes')).toBeVisible()
      await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked()
    })
    await holds(`${refusalTestTitle('A delete')}, and the entry stays.`, async () => {
      await expectRefusalToast(page, 'DELETE', path, () => confirmDeletion(page))
      await expect(loaded).toHaveValue(id)
    })
    await resetButton(page).click()
    await page.getByRole('main').getByRole('link', { name: 'Create' }).click()
    await holds(`${refusalTestTitle('A new entry')}, and the form keeps it.`, async () => {
      await mainField(page, tool).fill(tool.address(instance, 'refused'))
      await expectRefusalToast(page, 'POST', path, () => saveButton(page).click())
      await expect(mainField(page, tool)).toHaveValue(tool.address(instance, 'refused'))
      await expect(page).toHaveURL(`${rootOf(tool)}/create`)
    })
  })
}
