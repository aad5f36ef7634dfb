import type { Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { expect, navigate, toasts } from '../../support/page/kit.ts'
import { signOutBrowser, stranger, test } from '../../support/page/outside.ts'

const main = (page: Page) => page.getByRole('main')
const offered = ['Sign in with Discord', 'Sign in with GitHub', 'Sign in with OpenID']
const providers = (page: Page) => page.getByRole('region', { name: 'Connected Providers' })
const button = (page: Page, name: string) => page.getByRole('button', { name })
const denied = '/auth/error?error=AccessDenied'
async function signInByGithub(page: Page) {
  await page.goto('/auth/signin')
  await button(page, 'Sign in with GitHub').click()
}
async function userOf(instance: Instance, email: string) {
  return (await instance.call<{ id: string }>('GET', `/api/v1/admin/user?email=${email}`)).body
}
async function allowTools(instance: Instance, email: string) {
  const { id } = await userOf(instance, email)
  expect((await instance.call('PATCH', '/api/v1/admin/user', { id, roles: { Tools: 1 } })).status).toBe(200)
}

test('With three providers configured @release', async ({
  page,
  fakeProviders: { github, discord, openid },
  holds,
}) => {
  await page.goto('/')
  await holds('The Sign in button of the header opens the page with a button for each provider.', async () => {
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
    await expect(page).toHaveURL('/auth/signin')
    await expect(main(page).getByRole('button')).toHaveText([...offered, 'Use a passkey'])
  })
  await holds('There are no fields for credentials, only a link to them.', async () => {
    await expect(main(page).getByRole('textbox')).toHaveCount(0)
    await expect(main(page).getByRole('link')).toHaveText(['Use username and password'])
  })
  await holds('The page is accessible and fits a phone.', async () => {
    expect(await accessibilityViolations(page)).toEqual([])
    await expectFitsPhone(page, '/auth/signin')
  })
  await holds('At /auth/signin/user the form for credentials follows the same buttons.', async () => {
    await navigate(page, '/auth/signin/user')
    await expect(main(page).getByRole('button')).toHaveText([...offered, 'Sign in with Credentials'])
  })

  const atGithub = stranger('linus')
  const atDiscord = stranger('ursula')
  const atOpenId = stranger('maria')
  const ways = {
    GitHub: { provider: github, person: atGithub, profile: `${github.url}/linus`, by: 'username' },
    Discord: { provider: discord, person: atDiscord, profile: `${discord.url}/users/${atDiscord.id}`, by: 'id' },
    OpenID: { provider: openid, person: atOpenId, profile: openid.url, by: 'issuer' },
  }
  for (const [name, { provider, person, profile, by }] of Object.entries(ways)) {
    await holds(`Sign in with ${name} signs in there and returns to /.`, async () => {
      provider.person(person)
      await page.goto('/auth/signin')
      await main(page)
        .getByRole('button', { name: `Sign in with ${name}` })
        .click()
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('banner').getByRole('button', { name: person.username })).toBeVisible()
    })
    await holds(`The profile then shows ${name}, with the ID and the username of that account.`, async () => {
      await navigate(page, '/user')
      const cells = page.getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('cell')
      await expect(cells.nth(0)).toHaveText(name)
      await expect(cells.nth(1)).toHaveText(provider.accountId(person.id))
      await expect(cells.nth(2)).toHaveText(person.username)
    })
    await holds(`The profile link of ${name} is made from the ${by}, and opens in a new tab.`, async () => {
      const visit = page.getByRole('region', { name: 'Connected Providers' }).getByRole('link', { name: 'Visit' })
      await expect(visit).toHaveAttribute('href', profile)
      await expect(visit).toHaveAttribute('target', '_blank')
    })
    await signOutBrowser(page)
  }
  await holds('The provider last used in this browser comes first and is marked.', async () => {
    await page.goto('/auth/signin')
    const [before, last] = [offered.slice(0, -1), offered.slice(-1)]
    const buttons = [...last.map((name) => `${name}Last used`), ...before, 'Use a passkey']
    await expect(main(page).getByRole('button')).toHaveText(buttons)
  })
})

test('signing up with GitHub makes it the only sign-in method', async ({
  page,
  fakeProviders: { github, discord },
}) => {
  const octo = stranger('octo')
  github.person({ ...octo, name: 'Octavia Cat' })
  await signInByGithub(page)
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('banner').getByRole('button', { name: 'Octavia Cat' })).toBeVisible()

  await navigate(page, '/user')
  const atGithub = providers(page).getByRole('row', { name: /^GitHub/ })
  await expect(atGithub).toContainText(octo.id)
  await expect(atGithub).toContainText('octo')
  await expect(atGithub.getByRole('link', { name: 'Visit' })).toHaveAttribute('href', `${github.url}/octo`)
  await expect(atGithub.getByRole('link', { name: 'Visit' })).toHaveAttribute('target', '_blank')
  const last = atGithub.getByRole('button', { name: 'Unlink' })
  await expect(last).toHaveAttribute('aria-disabled', 'true')
  await expect(last).toHaveAccessibleDescription("You can't unlink your only sign-in method.")
  await last.click({ force: true })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await accessibilityViolations(page)).toEqual([])

  const octoAtDiscord = stranger('octo.at.discord')
  await test.step('another provider can be linked, and the first one unlinked', async () => {
    discord.person(octoAtDiscord)
    await button(page, 'Link Discord').click()
    await expect(toasts(page, 'success', 'Linked Discord.')).toBeVisible()
    await expect(page).toHaveURL('/user')
    const atDiscord = providers(page).getByRole('row', { name: /^Discord/ })
    await expect(atDiscord).toContainText('octo.at.discord')
    const profile = `${discord.url}/users/${octoAtDiscord.id}`
    await expect(atDiscord.getByRole('link', { name: 'Visit' })).toHaveAttribute('href', profile)
    await page.reload()
    await expect(atDiscord).toBeVisible()

    await atGithub.getByRole('button', { name: 'Unlink' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText("You won't be able to sign in with the account octo.")
    await dialog.getByRole('button', { name: 'Unlink' }).click()
    // The reload has not shown the earlier toast again: it would precede this one.
    await expect(toasts(page)).toHaveText([/Unlinked GitHub\./])
    await expect(atGithub).toHaveCount(0)
    await expect(atDiscord.getByRole('button', { name: 'Unlink' })).toHaveAttribute('aria-disabled', 'true')

    discord.person(stranger('octo.at.work'))
    await button(page, 'Link another Discord account').click()
    await expect(toasts(page, 'success', 'Linked Discord.')).toBeVisible()
    await expect(atDiscord).toHaveCount(2)
  })

  await test.step('the page for a refused link leads back to the profile', async () => {
    await signOutBrowser(page)
    github.person(stranger('wants-taken'))
    await signInByGithub(page)
    await expect(page).toHaveURL('/')
    await navigate(page, '/user')
    discord.person(octoAtDiscord)
    await button(page, 'Link Discord').click()
    await expect(page).toHaveURL(denied)
    await expect(page.getByText('This Discord account is already linked to another user')).toBeVisible()
    await page.getByRole('link', { name: 'Back to your profile' }).click()
    await expect(page).toHaveURL('/user')
    await expect(providers(page).getByRole('row', { name: /^Discord/ })).toHaveCount(0)
    await expect(toasts(page, 'success')).toHaveCount(0)
  })
})

test('a canceled sign-in is reported once, and a retry reaches the page @release', async ({
  page,
  fakeProviders,
  instance,
}) => {
  fakeProviders.github.person(stranger('undecided'))
  fakeProviders.github.mode('denied')
  await page.goto('/user')
  await expect(page).toHaveURL('/auth/signin')
  await button(page, 'Sign in with GitHub').click()
  await expect(page).toHaveURL(denied)
  const words = page.getByText("ToolBox wasn't allowed to access your GitHub account")
  await expect(words).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.reload()
  await expect(page.getByText('Sign in to see this page.')).toBeVisible()
  await expect(words).toHaveCount(0)

  fakeProviders.github.mode('works')
  const live = page.waitForResponse('**/api/v1/events*')
  await button(page, 'Sign in with GitHub').click()
  await expect(page).toHaveURL('/user')

  // The requested page applies only once. Requests still under way when the session ends are refused.
  await live
  await navigate(page, '/user/security')
  await expect(page.getByRole('region', { name: 'Recent Activity' }).getByRole('row').nth(1)).toBeVisible()
  await page.getByRole('region', { name: 'Sessions' }).getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await signInByGithub(page)
  await expect(page).toHaveURL('/')

  await test.step('a requested URL with special characters survives the sign-in', async () => {
    await allowTools(instance, 'undecided@example.com')
    await signOutBrowser(page)
    const destination = '/tools/keepalive/viewlist?url=a:b~c!(d)*%26%20%22#here'
    await page.goto(destination)
    await expect(page).toHaveURL(denied)
    await button(page, 'Sign in with GitHub').click()
    await expect(page.getByLabel('Search URL')).toHaveValue('a:b~c!(d)*& "')
  })
})

test('a failed provider sign-in shows why and can be retried @release', async ({
  page,
  fakeProviders,
  instance,
  allowConsoleErrors,
}) => {
  // Requests of a blocked user's screen may be refused while the session ends.
  allowConsoleErrors(/status of (500|401)/)
  fakeProviders.github.person(stranger('patient'))
  const way = '**/api/auth/sign-in/social'
  await page.route(way, (route) => route.fulfill({ status: 500, json: { error: 'Something went wrong.' } }))
  await signInByGithub(page)
  await expect(toasts(page, 'danger', 'Something went wrong.')).toBeVisible()
  await page.unroute(way)

  await test.step('a user who goes back from the provider’s page can start again', async () => {
    const authorize = `${fakeProviders.github.url}/login/oauth/authorize?**`
    // An inline icon keeps the browser from requesting one from the provider.
    const body = '<link rel="icon" href="data:,"><h1>Let ToolBox in?</h1>'
    await page.route(authorize, (route) => route.fulfill({ contentType: 'text/html', body }))
    await button(page, 'Sign in with GitHub').click()
    await expect(page.getByText('Let ToolBox in?')).toBeVisible()
    await page.unroute(authorize)
    await page.goBack()
    await expect(page).toHaveURL('/auth/signin')
    await button(page, 'Sign in with GitHub').click()
    await expect(page).toHaveURL('/')
  })

  await test.step('a blocked user reads why sign-in is refused', async () => {
    const { id } = await userOf(instance, 'patient@example.com')
    expect((await instance.call('PATCH', '/api/v1/admin/user', { id, status: 0 })).status).toBe(200)
    await signInByGithub(page)
    await expect(page).toHaveURL(denied)
    await expect(page.getByText('Your account is blocked.')).toBeVisible()
    await expect(button(page, 'Sign in with GitHub')).toBeVisible()
  })
})

test('an invitation offers one form for a password, and other sign-in methods @release', async ({ page, instance }) => {
  const created = await instance.call<{ id: string; url: string }>('POST', '/api/v1/admin/invites', {
    roles: { Tools: 1 },
  })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(created.body.url)
  await button(page, 'Choose a username and password').click()
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await expect(button(page, 'Create account')).toBeInViewport({ ratio: 1 })
  expect(await accessibilityViolations(page)).toEqual([])
  await button(page, 'Sign in another way').click()
  await expect(button(page, 'Continue with GitHub')).toBeVisible()
  await instance.call('DELETE', `/api/v1/admin/invites?id=${created.body.id}`)
})
