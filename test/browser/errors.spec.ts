import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Page } from '@playwright/test'
import { accessibilityViolations } from '../support/page/accessibility.ts'
import { delayRequests, expect, navigate, test, toasts } from '../support/page/kit.ts'

const dangers = (page: Page) => toasts(page, 'danger')

/** Waits until the only danger toast contains this text, and closes it. */
async function expectDangerToast(page: Page, words: string) {
  await expect(dangers(page)).toHaveCount(1)
  await expect(dangers(page)).toContainText(words)
  await dangers(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(dangers(page)).toHaveCount(0)
}

const rounds =
  "document.querySelector('[role=status] svg').getAnimations({ subtree: true }).map((a) => a.effect.getTiming())"
const inHeader = "document.querySelector('header svg').getAnimations({ subtree: true }).length"

/** Translates all texts as Chrome does, now and on each change, by replacing a text with an element or wrapping it. */
const translate = (mode: 'replace' | 'wrap') => `
  const visit = (node) => {
    if (node.nodeName === 'FONT' || ['SCRIPT', 'STYLE', 'TEXTAREA', 'TITLE'].includes(node.nodeName)) return
    if (node.nodeType !== Node.TEXT_NODE) return [...node.childNodes].forEach(visit)
    if (!node.nodeValue.trim() || !node.parentNode || node.parentNode.nodeName === 'FONT') return
    const font = document.createElement('font')
    const inner = font.appendChild(document.createElement('font'))
    if (${JSON.stringify(mode)} === 'wrap') {
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

test('When a change fails', async ({ page, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/^Failed to load resource/)
  const call = '**/api/auth/sign-in/username'
  const submit = page.getByRole('button', { name: 'Sign in with Credentials' })
  await page.goto('/auth/signin/user')
  await page.getByLabel('Username').fill('nobody')
  await page.getByLabel('Password').fill('not my password')

  await holds('A danger toast titled Notification shows the error field of the response.', async () => {
    await page.route(call, (route) => route.fulfill({ status: 403, json: { error: 'Your account is blocked.' } }))
    await submit.click()
    await expect(dangers(page)).toContainText('Your account is blocked.')
    await expect(dangers(page).getByText('Notification', { exact: true })).toBeVisible()
  })
  await holds('The same message is not shown twice; a different one appears alongside it.', async () => {
    // A toast under the pointer does not disappear.
    await dangers(page).hover()
    const answered = page.waitForResponse(call)
    await submit.press('Enter')
    await answered
    await expect(submit).toBeEnabled()
    await page.route(call, (route) => route.fulfill({ status: 500, json: { error: 'Another sentence.' } }))
    await submit.press('Enter')
    await expect(dangers(page).filter({ hasText: 'Another sentence.' })).toBeVisible()
    await expect(dangers(page)).toHaveCount(2)
  })
  const closing = dangers(page).getByRole('button', { name: 'Close notification' })
  for (let open = 2; open > 0; open--) {
    await closing.first().click()
    await expect(dangers(page)).toHaveCount(open - 1)
  }
  await holds('A response without an error field reads Something went wrong.', async () => {
    await page.route(call, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }))
    await submit.click()
    await expectDangerToast(page, 'Something went wrong.')
  })
  await holds('Without a response it reads Network Error.', async () => {
    await page.route(call, (route) => route.abort())
    await submit.click()
    await expectDangerToast(page, 'Network Error')
  })
  await holds('When the browser aborts the call it reads Request aborted.', async () => {
    await page.route(call, () => undefined)
    const request = page.waitForRequest(call)
    await submit.click()
    await request
    await page.evaluate('stop()')
    await expectDangerToast(page, 'Request aborted')
  })
})

test.describe('signed in', () => {
  test.use({ signedInAs: 'ada' })
  test('When a read fails', async ({ page, holds, allowConsoleErrors }) => {
    allowConsoleErrors(/^Failed to load resource/)
    const call = '**/api/v1/keepalive?id=*'
    const at = (id: string) => navigate(page, `/tools/keepalive/modify?id=${id}`)
    await page.goto('/tools/keepalive/modify')
    await holds('A danger toast shows the error field of the response.', async () => {
      await at('nothing')
      await expectDangerToast(page, 'Entry not found.')
    })
    await holds('A response without an error field reads Something went wrong.', async () => {
      await page.route(call, (route) => route.fulfill({ status: 500, json: {} }))
      await at('broken')
      await expectDangerToast(page, 'Something went wrong.')
    })
    await holds('Without a response, even on a second try, it reads Network Error.', async () => {
      let tries = 0
      await page.route(call, (route) => {
        tries += 1
        return route.abort()
      })
      await at('unreachable')
      await expectDangerToast(page, 'Network Error')
      expect(tries).toBe(2)
    })
    await holds('The screen stays, and works once the server responds.', async () => {
      await page.unroute(call)
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await expectDangerToast(page, 'Entry not found.')
    })
  })

  /** The usual run checks one screen. */
  const tagOf = (path: string) => (path === '/user/channels' ? '' : ' @release')
  for (const [path, what] of [
    ['/user/security', 'this setting'],
    ['/user/keys', 'this list'],
    ['/user/channels', 'this list'],
    ['/user/status', 'your status page'],
    ['/admin/backups', 'this list'],
    ['/admin/health', 'the checks'],
    ['/admin/invites', 'this list'],
    ['/admin/notifications', 'this list'],
    ['/tools/analyticsbadge/badges', 'this list'],
  ] as const)
    test(`${path} shows what could not be loaded, and loads it again${tagOf(path)}`, async ({
      page,
      allowConsoleErrors,
    }) => {
      allowConsoleErrors(/status of 500/)
      await page.route(/\/api\/(?!v1\/auth\/session)/, (route) => route.fulfill({ status: 500, json: {} }))
      await page.goto(path)
      const main = page.getByRole('main')
      const failed = main.getByRole('alert').filter({ hasText: `Couldn't load ${what}` })
      await expect(failed).toBeVisible()
      expect.soft(await accessibilityViolations(page)).toEqual([])
      await page.unrouteAll()
      // All at once: the live stream, once connected, reloads the screen, too.
      await main.getByRole('button', { name: 'Try again' }).evaluateAll((found) => {
        for (const button of found) button.click()
      })
      await expect(main.getByRole('alert')).toHaveCount(0)
    })

  for (const mode of ['replace', 'wrap'] as const)
    test(`a page that the browser translates (${mode}) keeps working and keeps its input`, async ({ page }) => {
      await page.goto('/tools/herokudiscordwebhook/create')
      const hook = page.getByLabel('Discord webhook', { exact: false }).first()
      await hook.fill('https://discord.com/api/webhooks/1/typed')
      await page.evaluate(translate(mode))
      for (const box of await page.getByRole('checkbox').all()) {
        await box.click()
        await box.click()
      }
      await expect(hook).toHaveValue('https://discord.com/api/webhooks/1/typed')
      // The shortcut works only once its button is visible.
      await expect(page.getByRole('button', { name: 'Find anything' })).toBeVisible()
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

test('The client @release', async ({ page, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/^Failed to load resource/)
  await page.route('/src/**', (route) => {
    const source = readFileSync(new URL(`../..${new URL(route.request().url()).pathname}`, import.meta.url), 'utf8')
    return route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(source) })
  })
  await page.route('/silent', () => undefined)
  await page.goto('/')
  const evaluate = (code: string) =>
    page.evaluate(`import('/src/ui/data/api.ts').then(({ api, reason }) => ${code}).catch(String)`)
  await holds('The client waits without a limit: its timeout is 0.', async () => {
    expect(await evaluate('api.timeout')).toBe(0)
  })
  await holds('With a timeout, its error reads timeout of {ms}ms exceeded.', async () => {
    const failure = await evaluate("api.get('/silent', { timeout: 40 }).catch(reason)")
    expect(failure).toBe('timeout of 40ms exceeded')
  })
  await holds('Its error for a refusal reads Request failed with status code {n}.', async () => {
    expect(await evaluate("api.get('/missing')")).toBe('CallError: Request failed with status code 404')
  })
})

test.describe('with motion', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('While loading', async ({ page, holds }) => {
    await page.goto('/_loading')
    await holds('The loading screen shows the logo, and reads Loading to screen readers.', async () => {
      await expect(page.getByRole('main').getByRole('status').locator('svg')).toBeVisible()
      await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
    })
    await holds('The animation of the logo repeats every 1.5 seconds without end.', async () => {
      const timings = (await page.evaluate(rounds)) as { duration: number; iterations: number | null }[]
      expect(timings.length).toBeGreaterThan(0)
      for (const { duration, iterations } of timings)
        expect([duration, iterations]).toEqual([1_500, Number.POSITIVE_INFINITY])
    })
    await holds('The logo in the header moves while a response is pending, and then stops.', async () => {
      const answer = await delayRequests(page, '**/api/v1/auth/session')
      await page.goto('/')
      await expect.poll(() => page.evaluate(inHeader)).toBeGreaterThan(0)
      answer()
      await expect.poll(() => page.evaluate(inHeader)).toBe(0)
    })
  })

  test('When a screen breaks @release', async ({ page, consoleErrors, holds, allowConsoleErrors }) => {
    allowConsoleErrors(/status (?:of|code) 500/)
    await page.route('**/api/v1/auth/session', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/user')
    await holds('The failure screen reads SOMETHING FAILED and Check console for error stack.', async () => {
      await expect(page.getByRole('heading', { name: 'SOMETHING FAILED', exact: true })).toBeVisible()
      await expect(page.getByText('Check console for error stack', { exact: true })).toBeVisible()
      await expect(page).toHaveTitle('ToolBox - Failed')
    })
    await holds('The console shows the error, Request failed with status code 500, with its stack.', async () => {
      await expect
        .poll(() => consoleErrors.filter((text) => /CallError: Request failed with status code 500\s+at /.test(text)))
        .not.toEqual([])
    })
    await holds('The error is shown below the header and links to Home.', async () => {
      await expect(page.getByRole('banner')).toBeVisible()
      await page.unroute('**/api/v1/auth/session')
      await page.getByRole('main').getByRole('link', { name: 'Back home' }).click()
      await expect(page).toHaveTitle('ToolBox - Home')
    })
  })
})

test('a browser that blocks storage and cookies still shows public pages', async ({ page }) => {
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
