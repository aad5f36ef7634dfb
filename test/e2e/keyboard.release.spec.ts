import type { Page } from '@playwright/test'
import { expect, test } from '../support/page/kit.ts'
import { admin } from '../support/process.ts'

/** Whether what has the focus looks other than without it. */
const isMarked = `(() => {
  // Past the last one, where a browser has its own buttons.
  if (document.activeElement === document.body) return true
  const { activeElement: focused } = document
  const label = focused.matches('.sr') ? focused.closest('label') : focused
  const look = ({ outlineStyle, boxShadow, borderColor }) => [outlineStyle, boxShadow, borderColor].join()
  const withFocus = look(getComputedStyle(label))
  focused.blur()
  const without = look(getComputedStyle(label))
  focused.focus({ focusVisible: true })
  return withFocus !== without
})()`

/** Tabs on until this has the focus; each thing on the way shows that it has it. */
async function tabTo(page: Page, role: 'link' | 'button' | 'textbox' | 'menuitem' | 'switch', name: string) {
  const wanted = page.getByRole(role, { name, exact: true })
  await expect(wanted).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const html = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 120)')
    expect(await page.evaluate(isMarked), `${html} shows that it has the focus`).toBe(true)
    if (await wanted.evaluate((one) => one === one.ownerDocument.activeElement)) return
  }
  await expect(wanted, 'is reached by Tab').toBeFocused()
}

// A deleted keep-alive entry is asked for once more, in vain.
test.use({ provoked: [/status of 404/] })

test('from signing in to a deleted entry by keyboard alone, and one always sees where one is', async ({
  page,
  house,
}) => {
  const { keyboard } = page
  await page.goto('/auth/signin/user')
  await tabTo(page, 'textbox', 'Username')
  await keyboard.type(admin.username)
  await tabTo(page, 'textbox', 'Password')
  await keyboard.type(admin.password)
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()

  await tabTo(page, 'button', 'Tools')
  await keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Home', exact: true })).toBeFocused()
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await expect(page).toHaveURL('/tools/keepalive')
  await tabTo(page, 'link', 'Create')
  await keyboard.press('Enter')
  await tabTo(page, 'textbox', 'URL')
  await keyboard.type(house.target.url('/by-keyboard'))
  await keyboard.press('ControlOrMeta+s')
  await expect(page).toHaveURL(/modify\?id=/)
  // The form before has the same fields.
  await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()

  await tabTo(page, 'switch', 'Active')
  await keyboard.press('Space')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Successfully updated entry.')).toBeVisible()
  const [entry] = (await house.entries()).filter(({ url }) => url.endsWith('/by-keyboard'))
  expect(entry?.status).toBe(false)

  await tabTo(page, 'button', 'Delete')
  await keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await tabTo(page, 'button', 'Yes, Nuke it')
  await keyboard.press('Enter')
  await expect(page.getByText('Successfully deleted entry.')).toBeVisible()
  await expect(page.getByLabel('Enter your ID')).toBeVisible()
  expect((await house.entries()).filter(({ url }) => url.endsWith('/by-keyboard'))).toEqual([])
  await expect(page.locator('body')).not.toBeFocused()
})
