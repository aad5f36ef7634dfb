import type { Page } from '@playwright/test'
import { expect, test } from '../support/page/kit.ts'

/** Translates every text as Chrome does, now and whenever one changes: by an element that takes its place, or by wrapping it. */
const translate = (how: 'replace' | 'wrap') => `
  const visit = (node) => {
    if (node.nodeName === 'FONT' || ['SCRIPT', 'STYLE', 'TEXTAREA', 'TITLE'].includes(node.nodeName)) return
    if (node.nodeType !== Node.TEXT_NODE) return [...node.childNodes].forEach(visit)
    if (!node.nodeValue.trim() || !node.parentNode || node.parentNode.nodeName === 'FONT') return
    const font = document.createElement('font')
    const inner = font.appendChild(document.createElement('font'))
    if (${JSON.stringify(how)} === 'wrap') {
      node.parentNode.insertBefore(font, node)
      inner.appendChild(node)
    } else {
      inner.textContent = '«' + node.nodeValue + '»'
      node.parentNode.replaceChild(font, node)
    }
  }
  new MutationObserver((records) => {
    for (const { addedNodes } of records) addedNodes.forEach(visit)
  }).observe(document.getElementById('root').parentNode, { childList: true, subtree: true })
  visit(document.body)`

const failed = (page: Page) => page.getByText('SOMETHING FAILED')

for (const how of ['replace', 'wrap'] as const)
  test.describe(`a page that the browser translates (${how})`, () => {
    test.use({ visitor: 'ada' })

    test('goes on, with what is typed, while texts come, change and go', async ({ page }) => {
      await page.goto('/tools/herokudiscordwebhook/create')
      const hook = page.getByLabel('Discord webhook', { exact: false }).first()
      await hook.fill('https://discord.com/api/webhooks/1/typed')
      await page.evaluate(translate(how))
      for (const box of await page.getByRole('checkbox').all()) {
        await box.click()
        await box.click()
      }
      await expect(hook).toHaveValue('https://discord.com/api/webhooks/1/typed')
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('combobox', { name: 'Find anything' })).toBeFocused()
      const [options, none] = [page.getByRole('option'), page.getByText('No matches')]
      await page.keyboard.type('keep alive')
      await expect(options).toHaveCount(4)
      await page.keyboard.type('zzz')
      await expect(none).toBeVisible()
      for (let n = 0; n < 3; n += 1) await page.keyboard.press('Backspace')
      await expect(options).toHaveCount(4)
      await expect(none).toHaveCount(0)
      await page.keyboard.press('Escape')
      await expect(hook).toHaveValue('https://discord.com/api/webhooks/1/typed')
      await page
        .getByRole('link', { name: /Tool Box/ })
        .first()
        .click()
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
      await expect(failed(page)).toHaveCount(0)
    })
  })

test.describe('a browser that keeps nothing for this site', () => {
  test('shows what needs no account, and says on the sign-in what that needs', async ({ page }) => {
    await page.addInitScript(`
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied.', 'SecurityError') } })
      Object.defineProperty(navigator, 'cookieEnabled', { value: false })`)
    for (const [path, shows] of [
      ['/', "It's hard to know who anyone is"],
      ['/tools/analyticsbadge', 'Analytics Badge'],
      ['/tools/keepalive/create', 'Sign in to ToolBox'],
    ] as const) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 }).first()).toContainText(shows)
      await expect(failed(page)).toHaveCount(0)
    }
    await page.goto('/auth/signin/user')
    await expect(page.getByText('Your browser blocks cookies from this site. Allow them to sign in.')).toBeVisible()
  })
})
