import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Page } from '@playwright/test'
import { expect, go, test, toasts } from '../support/page/kit.ts'

const dangers = (page: Page) => toasts(page, 'danger')
/** Waits for the one toast there is to say this, and closes it. */
async function hear(page: Page, words: string) {
  await expect(dangers(page)).toHaveCount(1)
  await expect(dangers(page)).toContainText(words)
  await dangers(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(dangers(page)).toHaveCount(0)
}

test.use({ provoked: [/^Failed to load resource/] })

test('When a change fails', async ({ page, holds }) => {
  const call = '**/api/auth/sign-in/username'
  const submit = page.getByRole('button', { name: 'Sign in with Credentials' })
  await page.goto('/auth/signin/user')
  await page.getByLabel('Username').fill('nobody')
  await page.getByLabel('Password').fill('not my password')

  await holds('A danger toast, headed Notification, shows the error field of the answer.', async () => {
    await page.route(call, (route) => route.fulfill({ status: 403, json: { error: 'Your account is blocked.' } }))
    await submit.click()
    await expect(dangers(page)).toContainText('Your account is blocked.')
    await expect(dangers(page).getByText('Notification', { exact: true })).toBeVisible()
  })
  await holds('The same message of the same type is not shown twice; another one is, beside it.', async () => {
    // Under the pointer a toast stays as long as it takes.
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
  await holds('An answer without an error field reads Something went wrong.', async () => {
    await page.route(call, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }))
    await submit.click()
    await hear(page, 'Something went wrong.')
  })
  await holds('When no answer can come it reads Network Error.', async () => {
    await page.route(call, (route) => route.abort())
    await submit.click()
    await hear(page, 'Network Error')
  })
  await holds('When the browser gives the call up it reads Request aborted.', async () => {
    await page.route(call, () => undefined)
    const asked = page.waitForRequest(call)
    await submit.click()
    await asked
    await page.evaluate('stop()')
    await hear(page, 'Request aborted')
  })
})

test.describe('signed in', () => {
  test.use({ visitor: 'ada' })
  test('When something cannot be fetched', async ({ page, holds }) => {
    const call = '**/api/v1/keepalive?id=*'
    const at = (id: string) => go(page, `/tools/keepalive/modify?id=${id}`)
    await page.goto('/tools/keepalive/modify')
    await holds('A danger toast shows the error field of the answer.', async () => {
      await at('nothing')
      await hear(page, 'Entry not found.')
    })
    await holds('An answer without an error field reads Something went wrong.', async () => {
      await page.route(call, (route) => route.fulfill({ status: 500, json: {} }))
      await at('broken')
      await hear(page, 'Something went wrong.')
    })
    await holds('When no answer comes, after a second try, it reads Network Error.', async () => {
      let tries = 0
      await page.route(call, (route) => {
        tries += 1
        return route.abort()
      })
      await at('unreachable')
      await hear(page, 'Network Error')
      expect(tries).toBe(2)
    })
    await holds('The screen is still there, and works once the call does.', async () => {
      await page.unroute(call)
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await hear(page, 'Entry not found.')
    })
  })
})

test('The client @release', async ({ page, holds }) => {
  await page.route('/src/**', (route) => {
    const source = readFileSync(new URL(`../..${new URL(route.request().url()).pathname}`, import.meta.url), 'utf8')
    return route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(source) })
  })
  await page.route('/silent', () => undefined)
  await page.goto('/')
  const evaluate = (code: string) =>
    page.evaluate(`import('/src/ui/data/api.ts').then(({ api, reason }) => ${code}).catch(String)`)
  await holds('It waits as long as it takes: its timeout is 0.', async () => {
    expect(await evaluate('api.timeout')).toBe(0)
  })
  await holds('With a timeout its failure reads timeout of {ms}ms exceeded.', async () => {
    const failure = await evaluate("api.get('/silent', { timeout: 40 }).catch(reason)")
    expect(failure).toBe('timeout of 40ms exceeded')
  })
  await holds('Its word for a refusal, which the console shows, is Request failed with status code {n}.', async () => {
    expect(await evaluate("api.get('/missing')")).toBe('CallError: Request failed with status code 404')
  })
})
