import type { Locator, Page } from '@playwright/test'
import { expect, toasts } from './kit.ts'

/** Tries to leave unsaved changes by these links, by going back and by a reload; expects a prompt each, and stays. */
export async function expectLeavePrompts(page: Page, ...links: Locator[]) {
  const prompts: string[] = []
  page.on('dialog', (dialog) => {
    prompts.push(dialog.type())
    return dialog.dismiss()
  })
  for (const link of links) await link.click()
  const byLinks = links.map(() => 'confirm')
  await expect.poll(() => prompts).toEqual(byLinks)
  await page.evaluate('history.back()')
  await expect.poll(() => prompts).toEqual([...byLinks, 'confirm'])
  await page.evaluate('setTimeout(() => location.reload())')
  await expect.poll(() => prompts).toEqual([...byLinks, 'confirm', 'beforeunload'])
}

/** Expects exactly these buttons above the form of an entry. */
export async function expectButtonsAbove(page: Page, buttons: string[]) {
  const bar = page.getByRole('toolbar')
  await expect(bar.getByRole('button')).toHaveText(buttons)
  const isAbove = async () => {
    const [top, form] = [await bar.boundingBox(), await page.getByRole('region', { name: 'Entry' }).boundingBox()]
    return top !== null && form !== null && top.y + top.height <= form.y
  }
  // Late content may shift one of them between the two measurements.
  await expect.poll(isAbove).toBe(true)
}

/** The next call whose path matches `part`. `guarded`: whether it sent the XSRF cookie back. */
export async function nextCall(
  page: Page,
  method: string,
  act: () => Promise<unknown>,
  part: string | RegExp = '/api/v1/',
) {
  const isPart = (path: string) => (typeof part === 'string' ? path.includes(part) : part.test(path))
  const isMeant = ({ pathname }: URL) => pathname.startsWith('/api/v1/') && isPart(pathname)
  const waiting = page.waitForRequest((one) => one.method() === method && isMeant(new URL(one.url())))
  await act()
  const request = await waiting
  const { pathname, search } = new URL(request.url())
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value
  const header = await request.headerValue('x-xsrf-token')
  const guarded = cookie !== undefined && header === decodeURIComponent(cookie)
  return { path: pathname + decodeURIComponent(search), body: request.postDataJSON() as unknown, guarded }
}

const error = 'Not on a Sunday.'

/** Makes the server refuse the `calls` caused by `act`, expects a single toast with the error, and closes it. */
export async function expectRefusalToast(
  page: Page,
  method: string,
  path: string,
  act: () => Promise<unknown>,
  calls = 1,
) {
  const isMeant = ({ pathname }: URL) => pathname.replace(/\/$/, '') === path
  let refused = 0
  await page.route(isMeant, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await route.fulfill({ status: 409, json: { error } })
    refused += 1
  })
  await act()
  await expect.poll(() => refused).toBeGreaterThanOrEqual(calls)
  await expect(toasts(page)).toHaveCount(1)
  await expect(toasts(page, 'danger', error)).toBeVisible()
  await toasts(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(toasts(page)).toHaveCount(0)
  await page.unroute(isMeant)
}
export async function confirmDeletion(page: Page) {
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
}
export const refusalTestTitle = (action: string) => `${action}: a refusal shows a danger toast with the server’s error`
