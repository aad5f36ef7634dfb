import type { Locator, Page } from '@playwright/test'
import type { House } from '../support/page/house.ts'
import { expect, test, toasts } from '../support/page/kit.ts'
import { create, select } from '../support/page/users.ts'

test.use({ visitor: 'ada' })

/** Remembers how long each animation that a script starts is to take. */
const listenForShakes = `window.shakes = []
  const animate = Element.prototype.animate
  Element.prototype.animate = function (frames, time) {
    shakes.push(time)
    return animate.call(this, frames, time)
  }`
const knownTags = /\[([`'"])Verified\1,([`'"])Admin\2,([`'"])Moderator\3\]/
/** Lets ToolBox know these tags instead of its own. */
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
  await holds('It is searched by typing.', async () => {
    await status.fill('block')
    await expect(options).toHaveText(['Blocked'])
    await page.keyboard.press('Escape')
    await expect(status).toHaveValue('Active')
  })
  await holds("'Nothing found that match the query.' stands there when nothing matches.", async () => {
    await tags.fill('zebra')
    await expect(page.getByText('Nothing found that match the query.')).toBeVisible()
    await expect(options).toHaveCount(0)
  })
  await holds('One that takes many keeps each choice as a pill that can be removed.', async () => {
    await tags.fill('')
    await expect(options).toHaveText(['Verified', 'Admin', 'Moderator'])
    await page.getByRole('option', { name: 'Admin' }).click()
    await page.getByRole('option', { name: 'Verified' }).click()
    await page.keyboard.press('Escape')
    await expect(pills).toHaveCount(2)
    await page.getByRole('button', { name: 'Remove Verified' }).click()
    await expect(pills).toHaveCount(1)
  })
  await holds('One that takes one shows it, and keeps it when a search comes to nothing.', async () => {
    await status.fill('inact')
    await page.keyboard.press('Enter')
    await expect(status).toHaveValue('Inactive')
    for (const leave of ['Escape', 'Enter']) {
      await status.press('ArrowDown')
      await expect(options).toHaveCount(3)
      await page.keyboard.press(leave)
      await expect(options).toHaveCount(0)
      await expect(status).toBeFocused()
    }
    await expect(status).toHaveValue('Inactive')
    for (const leave of ['Escape', 'Tab']) {
      await status.fill('')
      await status.press(leave)
      await expect(status).toHaveValue('Inactive')
    }
  })
  await holds('By keyboard alone: arrows, Enter, Escape, and Backspace for the last pill.', async () => {
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

  await holds('The list is 15rem high at most, and scrolls.', async () => {
    await knowTags(
      page,
      Array.from({ length: 40 }, (_, index) => `Tag ${index}`),
    )
    await page.reload()
    await tags.click()
    await expect(options).toHaveCount(40)
    const list = page.getByRole('listbox')
    // It knows how much room there is only once it has its place.
    await expect.poll(async () => (await list.boundingBox())?.height).toBeCloseTo(15 * 16, 1)
    await expect(list).toHaveCSS('overflow-y', 'auto')
  })
  await holds("'No values to show.' stands there when there is nothing to choose from.", async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await knowTags(page, [])
    await page.reload()
    await tags.click()
    await expect(page.getByText('No values to show.')).toBeVisible()
  })
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const key = (house: House, name: string) =>
  house.call('POST', '/api/v1/user/apikeys', { name, scopes: ['read'], expiresAt: null })

/** Opens it by keyboard and closes it each way; the focus is back at what opened it. */
async function givesBack(opener: Locator, opened: Locator, closes: readonly (() => Promise<void>)[]) {
  for (const close of closes) {
    await opener.press('Enter')
    await expect(opened).toBeVisible()
    await close()
    await expect(opened).toHaveCount(0)
    await expect(opener).toBeFocused()
  }
}

test.describe('dialogs-and-dropdowns', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('Dialogs', async ({ page, house, holds }) => {
    const id = await house.entry('/shake')
    const opener = page.getByRole('button', { name: 'Delete' })
    const dialog = page.getByRole('dialog')
    const shakes = () => page.evaluate('shakes')
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
    await holds('A press beside it shakes it for 100 ms and leaves it open.', async () => {
      await page.mouse.click(20, 300)
      expect(await shakes()).toEqual([100])
      await expect(dialog).toBeVisible()
    })
    await holds('It hears Ctrl+S: with nothing safe to confirm it shakes, and nothing is saved.', async () => {
      await page.keyboard.press('ControlOrMeta+s')
      expect(await shakes()).toEqual([100, 100])
      await expect(dialog).toBeVisible()
      await expect(toasts(page)).toHaveCount(0)
      await expect(page.getByText('Unsaved changes')).toBeVisible()
    })
    await holds('It is still for whoever asked for less motion.', async () => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.keyboard.press('ControlOrMeta+s')
      expect(await shakes()).toEqual([100, 100])
      await page.emulateMedia({ reducedMotion: null })
    })
    await holds('Escape closes it, and the focus is back where it was.', async () => {
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(opener).toBeFocused()
    })
    await test.step('so it is by the buttons of a dialog, a menu and the menu of a phone', async () => {
      const byEscape = () => page.keyboard.press('Escape')
      await givesBack(opener, dialog, [() => button(page, 'No').press('Enter')])
      await givesBack(button(page, 'Tools'), page.getByRole('menu'), [byEscape])
      await page.setViewportSize({ width: 360, height: 740 })
      await givesBack(button(page, 'Menu'), dialog, [byEscape, () => button(page, 'Close menu').press('Enter')])
      await page.setViewportSize({ width: 1280, height: 800 })
    })
    await test.step('when the form on screen is gone, the screen has the focus, and Tab goes on in it', async () => {
      await button(page, 'Reset').press('Enter')
      await expect(page.getByLabel('Enter your ID')).toBeVisible()
      await expect(page.getByRole('main')).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('main').locator(':focus')).toHaveCount(1)
    })
  })
})

test('when what a dialog asked about is gone, its part has the focus @release', async ({ page, house }) => {
  await key(house, 'focus')
  await page.goto('/user/keys')
  await button(page, 'Delete focus').press('Enter')
  await button(page, 'Yes, Nuke it').press('Enter')
  await expect(button(page, 'Delete focus')).toHaveCount(0)
  await expect(part(page, 'API Keys')).toBeFocused()
})

test('a link and a menu to another screen lead to its heading', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('list', { name: 'Tools' }).getByRole('link', { name: /^Keep Alive/ })
  await card.press('Enter')
  await expect(page).toHaveURL('/tools/keepalive')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  // On a busy machine the menu may be gone only after the screen is there.
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
