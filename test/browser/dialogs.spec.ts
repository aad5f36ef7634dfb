import type { Locator, Page } from '@playwright/test'
import type { Instance } from '../support/page/instance.ts'
import { expect, test, toasts } from '../support/page/kit.ts'
import { create, select } from '../support/page/users.ts'

test.use({ signedInAs: 'ada' })

/** Records the duration in ms of each animation that a script starts. */
const listenForShakes = `window.shakes = []
  const animate = Element.prototype.animate
  Element.prototype.animate = function (frames, time) {
    shakes.push(time)
    return animate.call(this, frames, time)
  }`
const knownTags = /\[([`'"])Verified\1,([`'"])Admin\2,([`'"])Moderator\3\]/
/** Replaces the tags in the app's scripts by these. */
const knowTags = (page: Page, tags: readonly string[]) =>
  page.route(/\/assets\/.*\.js$/, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: (await answer.text()).replace(knownTags, JSON.stringify(tags)) })
  })

test('Dropdowns @release', async ({ page, holds }) => {
  const tags = select(page, 'Tags')
  const status = select(page, 'Status')
  const options = page.getByRole('option')
  const pills = page.getByRole('button', { name: /^Remove / })
  await page.goto(create)

  await holds("The placeholder is 'Select an option'.", async () => {
    await expect(tags).toHaveAttribute('placeholder', 'Select an option')
  })
  await holds('Typing filters the options.', async () => {
    await status.fill('block')
    await expect(options).toHaveText(['Blocked'])
    await page.keyboard.press('Escape')
    await expect(status).toHaveValue('Active')
  })
  await holds("It shows 'Nothing found that match the query.' when nothing matches.", async () => {
    await tags.fill('zebra')
    await expect(page.getByText('Nothing found that match the query.')).toBeVisible()
    await expect(options).toHaveCount(0)
  })
  await holds('A multiple dropdown shows each choice as a removable pill.', async () => {
    await tags.fill('')
    await expect(options).toHaveText(['Verified', 'Admin', 'Moderator'])
    await page.getByRole('option', { name: 'Admin' }).click()
    await page.getByRole('option', { name: 'Verified' }).click()
    await page.keyboard.press('Escape')
    await expect(pills).toHaveCount(2)
    await page.getByRole('button', { name: 'Remove Verified' }).click()
    await expect(pills).toHaveCount(1)
  })
  await holds('A single dropdown shows its choice, and keeps it when a search is abandoned.', async () => {
    await status.fill('inact')
    await page.keyboard.press('Enter')
    await expect(status).toHaveValue('Inactive')
    for (const keyName of ['Escape', 'Enter']) {
      await status.press('ArrowDown')
      await expect(options).toHaveCount(3)
      await page.keyboard.press(keyName)
      await expect(options).toHaveCount(0)
      await expect(status).toBeFocused()
    }
    await expect(status).toHaveValue('Inactive')
    for (const keyName of ['Escape', 'Tab']) {
      await status.fill('')
      await status.press(keyName)
      await expect(status).toHaveValue('Inactive')
    }
  })
  await holds('The keyboard works: arrows, Enter, Escape, and Backspace to remove the last pill.', async () => {
    await tags.focus()
    await page.keyboard.press('ArrowDown')
    await expect(options).toHaveCount(3)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await expect(options).toHaveCount(0)
    await expect(pills).toHaveCount(2)
    await tags.press('Escape')
    await expect(pills).toHaveCount(2)
    await tags.press('Backspace')
    await expect(pills).toHaveCount(1)
  })
  await page.getByRole('button', { name: 'Reset' }).click()

  await holds('The list is at most 15rem high and scrolls.', async () => {
    await knowTags(
      page,
      Array.from({ length: 40 }, (_, index) => `Tag ${index}`),
    )
    await page.reload()
    await tags.click()
    await expect(options).toHaveCount(40)
    const list = page.getByRole('listbox')
    // The height settles only once the popup is positioned.
    await expect.poll(async () => (await list.boundingBox())?.height).toBeCloseTo(15 * 16, 1)
    await expect(list).toHaveCSS('overflow-y', 'auto')
  })
  await holds("It shows 'No values to show.' when there are no options.", async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await knowTags(page, [])
    await page.reload()
    await tags.click()
    await expect(page.getByText('No values to show.')).toBeVisible()
  })
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const key = (instance: Instance, name: string) =>
  instance.call('POST', '/api/v1/user/apikeys', { name, scopes: ['read'], expiresAt: null })

/** Opens by keyboard and closes in each of these ways. Each time the focus returns to the opener. */
async function givesBack(opener: Locator, opened: Locator, closes: readonly (() => Promise<void>)[]) {
  for (const close of closes) {
    await opener.press('Enter')
    await expect(opened).toBeVisible()
    await close()
    await expect(opened).toHaveCount(0)
    await expect(opener).toBeFocused()
  }
}

test.describe('with motion', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('Dialogs', async ({ page, instance, holds }) => {
    const id = await instance.entry('/shake')
    const opener = page.getByRole('button', { name: 'Delete' })
    const dialog = page.getByRole('dialog')
    const shakes = () => page.evaluate('shakes')
    const saves: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && saves.push(request.url()))
    await page.addInitScript(listenForShakes)
    await page.goto(`/tools/keepalive/modify?id=${id}`)
    await page.getByLabel('URL').fill('https://example.com/half-typ')

    await holds('A dialog takes the focus and keeps it.', async () => {
      await opener.press('Enter')
      await expect(dialog).toBeVisible()
      for (let presses = 0; presses < 5; presses++) {
        await page.keyboard.press('Tab')
        await expect(dialog.locator(':focus')).toHaveCount(1)
      }
    })
    await holds('A click outside shakes it for 100 ms and leaves it open.', async () => {
      await page.mouse.click(20, 300)
      expect(await shakes()).toEqual([100])
      await expect(dialog).toBeVisible()
    })
    await holds('Ctrl+S shakes it when there is no safe action to confirm, and saves nothing.', async () => {
      await page.keyboard.press('ControlOrMeta+s')
      expect(await shakes()).toEqual([100, 100])
      await expect(dialog).toBeVisible()
      await expect(toasts(page)).toHaveCount(0)
      await expect(page.getByText('Unsaved changes')).toBeVisible()
    })
    await holds('The dialog does not shake when the user prefers reduced motion.', async () => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.keyboard.press('ControlOrMeta+s')
      expect(await shakes()).toEqual([100, 100])
      await page.emulateMedia({ reducedMotion: null })
    })
    await holds('Escape closes it and returns the focus.', async () => {
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(opener).toBeFocused()
    })
    await test.step('closing a dialog by a button, a menu or the phone menu returns the focus, too', async () => {
      const byEscape = () => page.keyboard.press('Escape')
      await givesBack(opener, dialog, [() => button(page, 'No').press('Enter')])
      await givesBack(button(page, 'Tools'), page.getByRole('menu'), [byEscape])
      await page.setViewportSize({ width: 360, height: 740 })
      await givesBack(button(page, 'Menu'), dialog, [byEscape, () => button(page, 'Close menu').press('Enter')])
      await page.setViewportSize({ width: 1280, height: 800 })
    })
    await test.step('when the form disappears, the main area gets the focus, and Tab continues there', async () => {
      await button(page, 'Reset').press('Enter')
      await expect(page.getByLabel('Enter your ID')).toBeVisible()
      await expect(page.getByRole('main')).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('main').locator(':focus')).toHaveCount(1)
    })
    expect(saves).toEqual([])
  })
})

test('deleting a row in a dialog moves the focus to the section of the row @release', async ({ page, instance }) => {
  await key(instance, 'focus')
  await page.goto('/user/keys')
  await button(page, 'Delete focus').press('Enter')
  await button(page, 'Yes, Nuke it').press('Enter')
  await expect(button(page, 'Delete focus')).toHaveCount(0)
  await expect(part(page, 'API Keys')).toBeFocused()
})

test('following a link or a menu item focuses the heading of the new screen', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('list', { name: 'Tools' }).getByRole('link', { name: /^Keep Alive/ })
  await card.press('Enter')
  await expect(page).toHaveURL('/tools/keepalive')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  // Slow the menu down: on a busy machine it may close only after the screen has appeared.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('@keyframes last { to { opacity: 0.5 } } [role=menu][data-closed] { animation: last 2s !important }')
    document.adoptedStyleSheets.push(sheet)
  }`)
  await button(page, 'Tools').press('Enter')
  await page.getByRole('menuitem', { name: 'Analytics Badge', exact: true }).press('Enter')
  const heading = page.getByRole('heading', { level: 1, name: 'Analytics Badge' })
  await expect(heading).toBeFocused()
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(heading).toBeFocused()
})
