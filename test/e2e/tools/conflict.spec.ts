import type { Page } from '@playwright/test'
import { expect, holdBack, test, toasts } from '../../support/page/kit.ts'
import * as relay from '../../support/page/relay.ts'
import { dismiss, person } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'
import { signedIn } from '../../support/process.ts'

test.use({ visitor: 'ada', provoked: [/409 \(Conflict\)|status of 404/] })

const dialog = (page: Page, name = 'you in another tab') =>
  page.getByRole('dialog', { name: new RegExp(`^Changed by ${name} `) })
const definitions = (page: Page, name?: string) => dialog(page, name).getByRole('definition')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

test('an entry that was changed in another tab is saved over only by choice, each time anew', async ({
  page,
  house,
}) => {
  const id = await house.entry('/conflict')
  const url = (word: string) => house.target.url(`/conflict?${word}`)
  const change = (word: string) => house.call('PATCH', '/api/v1/keepalive', { id, url: url(word) })
  const kept = async () => (await house.entries()).find((one) => one.id === id)?.url
  await page.clock.install()
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  const field = page.getByLabel('URL')
  await field.fill(url('mine'))
  await change('theirs')
  await expect(
    page.getByText("You changed this entry in another tab. The changes on this page aren't saved yet."),
  ).toBeVisible()

  await save(page)
  await expect(dialog(page)).toContainText(/just now|seconds? ago/)
  await expect(definitions(page)).toHaveText([
    `Before${house.target.url('/conflict')}`,
    `Other tab${url('theirs')}`,
    `This page${url('mine')}`,
  ])
  await expect(dialog(page).getByRole('term')).toHaveText(['URL'])
  await test.step('the dialog keeps saying how long ago it was changed', async () => {
    await page.clock.runFor(180_000)
    await expect(dialog(page)).toContainText('3 minutes ago')
  })
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
  await expect(definitions(page).nth(1)).toHaveText(`Other tab${url('third')}`)
  letGo()
  expect(await kept()).toBe(url('third'))
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  expect(await kept()).toBe(url('mine'))

  await field.fill(url('again'))
  await change('last')
  await save(page)
  await dialog(page).getByRole('button', { name: 'Load other version' }).click()
  await expect(field).toHaveValue(url('last'))
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await field.fill(url('after-theirs'))
  await save(page)
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await expect(dialog(page)).toBeHidden()

  await test.step("the dialog shows what another changed, and a save keeps that beside one's own changes", async () => {
    const boris = await person(house, 'boris', { Tools: 2 })
    const asBoris = await signedIn(house.url, { username: 'boris', password })
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    const moved = house.target.url('/moved')
    await asBoris('PATCH', '/api/v1/keepalive', { id, url: moved })
    await expect(page.getByText("boris changed this entry. Your changes aren't saved yet.")).toBeVisible()
    await save(page)
    await expect(definitions(page, 'boris')).toHaveText([`Before${url('after-theirs')}`, `Theirs${moved}`])
    await expect(dialog(page, 'boris')).toContainText('saves only what you edited (Active) and keeps the rest')
    await dialog(page, 'boris').getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(dialog(page, 'boris')).toBeHidden()
    await expect
      .poll(async () => (await house.entries()).find((one) => one.id === id))
      .toMatchObject({ url: moved, status: false })
    await dismiss(house, boris)
  })
  await house.remove(id)
})

test('the dialog prints nothing over anything else, of an entry with a name too @release', async ({ page, house }) => {
  const id = await house.entry('/named')
  await house.call('PATCH', '/api/v1/keepalive', { id, name: 'Shop' })
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await page.getByLabel('URL').fill(house.target.url('/named?mine'))
  await house.call('PATCH', '/api/v1/keepalive', { id, url: house.target.url('/named?theirs') })
  await expect(page.getByText("The changes on this page aren't saved yet.")).toBeVisible()
  await save(page)
  await expect(dialog(page).getByText('Shop', { exact: true })).toBeVisible()
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    const texts = await dialog(page).locator('h2, p, dt, dd, button').all()
    const boxes = await Promise.all(texts.map((text) => text.boundingBox()))
    const tops = boxes.flatMap((box, n) => (box ? [{ n, ...box }] : []))
    for (const one of tops)
      for (const other of tops)
        if (one.n < other.n) {
          const isApart =
            one.y + one.height <= other.y + 0.5 ||
            other.y + other.height <= one.y + 0.5 ||
            one.x + one.width <= other.x + 0.5 ||
            other.x + other.width <= one.x + 0.5
          expect(isApart, `${await texts[one.n]?.textContent()} / ${await texts[other.n]?.textContent()}`).toBe(true)
        }
  }
  await house.remove(id)
})

test('a new secret made beside the form stays its own edit when somebody else edits next @release', async ({
  page,
  house,
}) => {
  const { id } = await relay.saved(house, house.discord.webhook())
  await page.goto(`${relay.tool}/modify?id=${id}`)
  await relay.unfold(page, 'Message options')
  await page.getByLabel('Thread', { exact: true }).fill('223456789012345678')
  await relay.unfold(page, 'Signing secret')
  await page.getByRole('button', { name: 'New secret' }).click()
  await expect(page.getByText('The old secret is valid until')).toBeVisible()
  await expect(page.getByText("The changes on this page aren't saved yet.")).toBeHidden()
  await house.call('PATCH', relay.api, { id, showActor: true })
  await save(page)
  await expect(dialog(page).getByRole('term')).toHaveText(["Show author's email"])
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(dialog(page)).toBeHidden()
  expect(await relay.read(house, id)).toMatchObject({ threadId: '223456789012345678', showActor: true })
  await relay.remove(page, house, id)
})

test('a new secret made beside the form hides no edit that somebody else made before it @release', async ({
  page,
  house,
}) => {
  const { id } = await relay.saved(house, house.discord.webhook())
  await page.goto(`${relay.tool}/modify?id=${id}`)
  await relay.unfold(page, 'Message options')
  await page.getByLabel('Thread', { exact: true }).fill('223456789012345678')
  await house.call('PATCH', relay.api, { id, showActor: true })
  await expect(page.getByText('You changed this entry in another tab.')).toBeVisible()
  await relay.unfold(page, 'Signing secret')
  await page.getByRole('button', { name: 'New secret' }).click()
  await expect(page.getByText('The old secret is valid until')).toBeVisible()
  await save(page)
  await expect(dialog(page).getByRole('term').filter({ hasText: "Show author's email" })).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(dialog(page)).toBeHidden()
  expect(await relay.read(house, id)).toMatchObject({ threadId: '223456789012345678', showActor: true })
  await relay.remove(page, house, id)
})

test('whoever edits an entry or a user that is deleted meanwhile is told so beside Save @release', async ({
  page,
  house,
}) => {
  const id = await house.entry('/doomed')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await page.getByLabel('URL').fill(house.target.url('/mine'))
  await house.call('PATCH', '/api/v1/keepalive', { id, url: house.target.url('/theirs') })
  await expect(page.getByText('You changed this entry in another tab.')).toBeVisible()
  await house.remove(id)
  await expect(page.getByText("This entry was deleted, so your changes can't be saved.")).toBeVisible()
  await expect(page.getByText('You changed this entry in another tab.')).toBeHidden()
  await expect(toasts(page)).toHaveCount(0)
  await expect(page.getByLabel('URL')).toHaveValue(house.target.url('/mine'))

  const doomed = await person(house, 'doomed')
  page.once('dialog', (leave) => leave.accept())
  await page.goto(`/admin/user/modify?email=${doomed.email}`)
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await dismiss(house, doomed)
  await save(page)
  await expect(page.getByText("This user was deleted, so your changes can't be saved.")).toBeVisible()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mine')
})

test('a user whom another admin changed meanwhile is saved over only by choice @release', async ({ page, house }) => {
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
  await expect(dialog(page).getByRole('term')).toHaveText(['Name', 'Tags'])
  await expect(definitions(page)).toHaveText([
    'Beforecontested',
    'Other tabTheirs',
    'This pageMine',
    'BeforeNone',
    'Other tabVerified',
  ])
  await expect(
    page.getByText("You changed this user in another tab. The changes on this page aren't saved yet."),
  ).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
  expect(await read()).toMatchObject({ name: 'Mine', tags: ['Verified'] })
  await page.getByLabel('Name', { exact: true }).fill('Mine again')
  await house.call('PATCH', '/api/v1/admin/user', { id, email: 'moved@example.com' })
  await save(page)
  await dialog(page).getByRole('button', { name: 'Load other version' }).click()
  await expect(page).toHaveURL(/moved(@|%40)example\.com/)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mine')
})
