import type { Page } from '@playwright/test'
import type { Instance } from '../support/page/instance.ts'
import { expect, test, toasts } from '../support/page/kit.ts'

test.use({ makesAnnouncements: true, signedInAs: 'ada', permissions: ['clipboard-read', 'clipboard-write'] })

const create = '/tools/keepalive/create'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const stamp = /Issued at \d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M/

/** Opens a screen, waits for its event stream, and stops its clock. */
async function listen(page: Page, path: string) {
  const stream = page.waitForResponse('**/api/v1/events*')
  await page.clock.install()
  await page.goto(path)
  await stream
  await expect(save(page)).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
}

// A closing toast stays in the document until its animation has ended.
const moved = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))'
const announce = async (instance: Instance, type: string, message: string) =>
  expect((await instance.call('POST', '/api/v1/admin/notifications', { type, message })).status).toBe(201)

test('Toasts of the screen', async ({ page, holds }) => {
  await listen(page, create)
  const warning = toasts(page, 'warning')

  await holds("A toast of the screen itself is titled 'Notification' and shows neither time nor author.", async () => {
    await save(page).hover()
    await expect(warning.locator('strong')).toHaveText('Notification')
    await expect(warning).not.toContainText('Issued at')
    await expect(warning).not.toContainText('By ')
  })
  await holds('A toast of the screen disappears after 10000 ms.', async () => {
    await page.getByRole('heading', { level: 1 }).hover()
    await page.clock.runFor(9_400)
    await page.evaluate(moved)
    await page.clock.runFor(500)
    await expect(warning).toHaveCount(1)
    await page.clock.runFor(600)
    await expect(warning).toHaveCount(0)
  })
  await holds('A second toast of the same kind and message is not shown alongside the first.', async () => {
    for (let times = 0; times < 3; times++) {
      await save(page).hover()
      await page.getByRole('heading', { level: 1 }).hover()
    }
    await expect(toasts(page)).toHaveCount(1)
  })
  await holds('A repeated message stays for another 10000 ms.', async () => {
    await page.clock.runFor(9_000)
    await save(page).hover()
    await page.getByRole('heading', { level: 1 }).hover()
    await page.clock.runFor(9_400)
    await page.evaluate(moved)
    await expect(warning).toHaveCount(1)
  })
  await holds('Its close button works, also by keyboard, and afterwards the toast can appear again.', async () => {
    await warning.getByRole('button', { name: 'Close notification' }).press('Enter')
    await page.clock.runFor(500)
    await expect(warning).toHaveCount(0)
    await save(page).hover()
    await expect(warning).toHaveCount(1)
    await warning.getByRole('button', { name: 'Close notification' }).click()
    await page.clock.runFor(500)
    await expect(warning).toHaveCount(0)
  })
})

test('Toasts of the server', async ({ page, instance, holds }) => {
  await listen(page, create)
  for (const type of ['success', 'warning', 'info', 'danger'] as const)
    await holds(`A notification of type ${type} is titled 'Server Notification', with time and author.`, async () => {
      await announce(instance, type, `It is ${type}.`)
      const toast = toasts(page, type, `It is ${type}.`)
      await expect(toast.locator('strong')).toHaveText('Server Notification')
      await expect(toast).toContainText(stamp)
      await expect(toast).toContainText('By ada')
    })
  await holds('Each type has its own icon and colour.', async () => {
    const looks = (await page.evaluate(
      "[...document.querySelectorAll('[data-kind] [data-tone]')].map((icon) => icon.innerHTML + getComputedStyle(icon).color)",
    )) as string[]
    expect(new Set(looks).size).toBe(4)
  })
  await holds('Danger toasts interrupt a screen reader; the others do not.', async () => {
    await expect(toasts(page, 'danger')).toHaveAttribute('role', 'alert')
    for (const kind of ['success', 'warning', 'info'] as const)
      await expect(toasts(page, kind)).toHaveAttribute('role', 'group')
  })
  await holds('Repeating an announcement shows one toast.', async () => {
    await announce(instance, 'info', 'It is info.')
    await announce(instance, 'info', 'It is another.')
    await expect(toasts(page, 'info', 'It is another.')).toHaveCount(1)
    await expect(toasts(page, 'info', 'It is info.')).toHaveCount(1)
  })
  await holds('Danger toasts, of duration 0, stay; the others disappear after 10000 ms.', async () => {
    await page.clock.runFor(11_000)
    await expect(toasts(page)).toHaveText([/It is danger\./])
    await page.clock.runFor(3_600_000)
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await toasts(page, 'danger').getByRole('button', { name: 'Close notification' }).click()
    await page.clock.runFor(500)
    await expect(toasts(page)).toHaveCount(0)
  })
})
