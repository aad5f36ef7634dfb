import type { Page } from '@playwright/test'
import { accessibilityViolations } from '../support/page/accessibility.ts'
import { expect, navigate, test } from '../support/page/kit.ts'
import { loadedTexts } from '../support/page/screens.ts'
import { admin } from '../support/process.ts'

/** Whether the focused element, its parent or its grandparent looks different without the focus. */
const isMarked = `(() => {
  // Past the last one, where a browser has its own buttons, or where a screen has just come.
  if (document.activeElement.matches('body, main')) return true
  const { activeElement: focused } = document
  const around = [focused, focused.parentElement, focused.parentElement.parentElement]
  const lookOf = ({ outlineStyle, boxShadow, borderColor }) => [outlineStyle, boxShadow, borderColor].join()
  const look = () => around.map((one) => lookOf(getComputedStyle(one))).join()
  const withFocus = look()
  focused.blur()
  const without = look()
  focused.focus({ focusVisible: true })
  return withFocus !== without
})()`

/** Presses Tab until this control has the focus; each stop on the way must show its focus. */
async function tabTo(page: Page, role: 'link' | 'button' | 'textbox' | 'menuitem' | 'switch', name: string) {
  const control = page.getByRole(role, { name, exact: true })
  await expect(control).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const html = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 120)')
    expect(await page.evaluate(isMarked), `${html} shows its focus`).toBe(true)
    if (await control.evaluate((one) => one === one.ownerDocument.activeElement)) return
  }
  await expect(control, 'is reached by Tab').toBeFocused()
}

/** Tabs through a screen: each stop must be in view and show its focus, and the last Tab must leave the page. */
async function walk(page: Page, path: string) {
  for (let stops = 0; stops < 200; stops++) {
    await page.keyboard.press('Tab')
    const [html, isOut, isSeen] = await page.evaluate<[string, boolean, boolean]>(`(() => {
      const { activeElement: at } = document
      const place = (at.matches('.sr') ? at.closest('label') : at).getBoundingClientRect()
      const isSeen = place.bottom > 0 && place.top < innerHeight && place.right > 0 && place.left < innerWidth
      return [at.outerHTML.slice(0, 120), at === document.body, isSeen]
    })()`)
    if (isOut && stops > 0) return
    expect.soft(isSeen, `${html} is in view at ${path}`).toBe(true)
    expect.soft(await page.evaluate(isMarked), `${html} shows its focus at ${path}`).toBe(true)
  }
  expect.soft(false, `Tab leaves ${path}`).toBe(true)
}

test.describe('every screen', () => {
  test.use({ signedInAs: 'ada' })

  test('can be tabbed through, and always shows the focus @release', async ({ page, instance }) => {
    test.slow()
    const id = await instance.entry('/walked')
    const screens = {
      ...loadedTexts,
      '/': 'Recent runs',
      '/tools/keepalive/create': 'What will happen',
      '/tools/keepalive/viewlist': '/walked',
      [`/tools/keepalive/modify?id=${id}`]: 'Run History',
      '/tools/herokudiscordwebhook/create': 'What will happen',
      '/tools/ghmdinvalidator/create': 'Checks start',
    }
    for (const [path, sign] of Object.entries(screens)) {
      await page.goto(path)
      await expect(page.getByText(sign).first()).toBeVisible()
      await walk(page, path)
    }
    await instance.remove(id)
  })
})

test('the keyboard suffices from sign-in to deleting an entry @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
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
  await keyboard.type(instance.target.url('/by-keyboard'))
  await keyboard.press('ControlOrMeta+s')
  await expect(page).toHaveURL(/modify\?id=/)
  // Wait for the new form: the previous one has the same fields.
  await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()

  await tabTo(page, 'switch', 'Active')
  await keyboard.press('Space')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Successfully updated entry.')).toBeVisible()
  const [entry] = (await instance.entries()).filter(({ url }) => url.endsWith('/by-keyboard'))
  expect(entry?.status).toBe(false)

  await tabTo(page, 'button', 'Delete')
  await keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await tabTo(page, 'button', 'Yes, Nuke it')
  await keyboard.press('Enter')
  await expect(page.getByText('Successfully deleted entry.')).toBeVisible()
  await expect(page.getByLabel('Enter your ID')).toBeVisible()
  expect((await instance.entries()).filter(({ url }) => url.endsWith('/by-keyboard'))).toEqual([])
  await expect(page.locator('body')).not.toBeFocused()
})

test.describe('shortcuts', () => {
  test.use({ signedInAs: 'ada' })

  test('single-key shortcuts work, but not while typing or once turned off', async ({ page, instance }) => {
    await instance.entry('/keys-one')
    await instance.entry('/keys-two')
    await page.goto('/user')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    // Shortcuts become active a few seconds after the page has loaded.
    const openDialog = () =>
      expect(async () => {
        await page.keyboard.press('?')
        await expect(dialog.getByText('Keep Alive list')).toBeVisible({ timeout: 500 })
      }).toPass()
    await test.step('? lists all shortcuts', async () => {
      await openDialog()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.keyboard.press('n')
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(page).toHaveURL('/user')
    })
    await test.step('/ opens the search, and typing there triggers no shortcut', async () => {
      await page.keyboard.press('/')
      await page.keyboard.type('gh')
      await expect(page.getByRole('combobox', { name: 'Find anything' })).toHaveValue('gh')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('combobox', { name: 'Find anything' })).toHaveCount(0)
    })
    await test.step('g and a letter open a page, n opens a new entry', async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('h')
      await expect(page).toHaveURL('/')
      await page.keyboard.press('n')
      await expect(page).toHaveURL(/create$/)
      await navigate(page, '/user')
      await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).toBeVisible()
      await page.keyboard.press('g')
      await page.keyboard.press('k')
      await expect(page).toHaveURL('/tools/keepalive/viewlist')
    })
    await test.step('in a list, j and k move between rows, x selects and e edits', async () => {
      const rows = page.locator('tbody > tr')
      await expect(rows.nth(1).getByRole('link').first()).toBeVisible()
      const focused = (row: number) => expect(rows.nth(row).getByRole('link').first()).toBeFocused()
      await page.keyboard.press('j')
      await focused(0)
      await page.keyboard.press('j')
      await focused(1)
      await page.keyboard.press('k')
      await focused(0)
      await page.keyboard.press('x')
      await expect(rows.nth(0).getByRole('checkbox')).toBeChecked()
      await page.keyboard.press('Control+j')
      await focused(0)
      await page.keyboard.press('e')
      await expect(page).toHaveURL(/modify\?id=/)
    })
    await test.step('on an entry, 1 to 3 focus its sections, except while typing', async () => {
      for (const [key, part] of [
        ['2', 'Settings'],
        ['3', 'Share'],
        ['1', 'Overview'],
      ] as const) {
        await expect(page.getByRole('region', { name: part, exact: true })).toBeVisible()
        await page.keyboard.press(key)
        await expect(page.getByRole('region', { name: part, exact: true })).toBeFocused()
      }
      await page.getByLabel('Name', { exact: true }).fill('Key')
      await page.keyboard.type('2')
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Key2')
      await page.getByLabel('Name', { exact: true }).fill('')
    })
    await test.step('Tab and Enter can skip the filters of a list', async () => {
      await page.goto('/tools/keepalive/viewlist')
      await expect(page.locator('tbody > tr').nth(1).getByRole('link').first()).toBeVisible()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(page.locator('tbody > tr').first().getByRole('link').first()).toBeFocused()
    })
    await test.step('the profile turns the shortcuts off', async () => {
      await navigate(page, '/user')
      await openDialog()
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await page.getByRole('switch', { name: 'Single-key shortcuts' }).click()
      await page.keyboard.press('?')
      await page.keyboard.press('n')
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('combobox', { name: 'Find anything' })).toBeFocused()
      await expect(dialog).toHaveCount(0)
      await expect(page).toHaveURL('/user')
      await page.keyboard.press('Escape')
      await page.reload()
      await page.getByRole('banner').getByRole('button', { name: 'ada' }).click()
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
      await expect(dialog).toContainText('Single-key shortcuts are off.')
      await expect(page.getByRole('banner').locator('kbd')).toHaveCount(0)
    })
  })
})
