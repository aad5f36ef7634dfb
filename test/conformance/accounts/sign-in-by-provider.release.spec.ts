import { mergeTests, type Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { expect, go, test as statements } from '../../support/page/kit.ts'
import { forget, test as outside, stranger } from '../../support/page/outside.ts'

const test = mergeTests(statements, outside)

const main = (page: Page) => page.getByRole('main')
const offered = ['Sign in with Discord', 'Sign in with GitHub', 'Sign in with OpenID']

test('With three providers configured', async ({ page, outside: { github, discord, openid }, holds }) => {
  await page.goto('/')
  await holds('The Sign in button of the header opens the page with a button for each provider.', async () => {
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
    await expect(page).toHaveURL('/auth/signin')
    await expect(main(page).getByRole('button')).toHaveText([...offered, 'Use a passkey'])
  })
  await holds('There are no fields for credentials, but a way to them.', async () => {
    await expect(main(page).getByRole('textbox')).toHaveCount(0)
    await expect(main(page).getByRole('link')).toHaveText(['Use username and password'])
  })
  await holds('The page has no barrier, and fits a phone.', async () => {
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, '/auth/signin')
  })
  await holds('At /auth/signin/user the form for credentials stands below the same buttons.', async () => {
    await go(page, '/auth/signin/user')
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
    await holds(`Sign in with ${name} leads there and back, signed in, to /.`, async () => {
      provider.person(person)
      await page.goto('/auth/signin')
      await main(page)
        .getByRole('button', { name: `Sign in with ${name}` })
        .click()
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('banner').getByRole('button', { name: person.username })).toBeVisible()
    })
    await holds(`The profile then names ${name}, the id and the username there.`, async () => {
      await go(page, '/user')
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
    await forget(page)
  }
  await holds('What was used last in this browser stands first, and says so.', async () => {
    await page.goto('/auth/signin')
    const [before, last] = [offered.slice(0, -1), offered.slice(-1)]
    const buttons = [...last.map((name) => `${name}Last used`), ...before, 'Use a passkey']
    await expect(main(page).getByRole('button')).toHaveText(buttons)
  })
})
