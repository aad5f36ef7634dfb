import type { User } from '../../../src/admin/contract.ts'
import { nextCall } from '../../support/page/forms.ts'
import { expect, go, test } from '../../support/page/kit.ts'
import { at, dismiss, newcomer, part, save, unsaved } from '../../support/page/users.ts'

test.use({ visitor: 'ada' })

const api = '/api/v1/admin/user'
const links = [
  { providerId: '001_Discord', accountId: '80351110224678912', accountUsername: 'nelly' },
  { providerId: '002_Github', accountId: '583231', accountUsername: 'octocat' },
]

test('Providers and API keys', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  // Somebody who has signed in by both providers as well.
  await page.route(`**${api}?email=*`, async (route) => {
    const answer = await route.fetch()
    const body: User = await answer.json()
    await route.fulfill({ json: { ...body, providers: [...links, ...body.providers] } })
  })
  const providers = part(page, 'Providers')
  const row = (name: string) => providers.getByRole('row', { name: new RegExp(`^${name}`) })
  await page.goto(at(user.email))

  await holds('Providers is a table of provider, account id, account username, and a link to visit.', async () => {
    const heads = providers.getByRole('columnheader')
    await expect(heads.filter({ visible: true })).toContainText([
      'Provider',
      'Account ID',
      'Account Username',
      'Profile',
    ])
    await expect(row('Discord').getByRole('cell')).toContainText(['Discord', '80351110224678912', 'nelly', 'Visit', ''])
    await expect(row('GitHub').getByRole('cell')).toContainText(['GitHub', '583231', 'octocat', 'Visit', ''])
    await expect(row('Credentials')).toContainText(user.name)
  })
  const leadsTo = (name: string) => row(name).getByRole('link', { name: 'Visit' }).getAttribute('href')
  await holds(
    "Discord's link is made of the account id, GitHub's of the username, credentials' goes to /user.",
    async () => {
      expect(await leadsTo('Discord')).toMatch(/\/users\/80351110224678912$/)
      expect(await leadsTo('GitHub')).toMatch(/^https?:\/\/[^/]+\/octocat$/)
      expect(await leadsTo('Credentials')).toBe('/user')
      await expect(row('GitHub').getByRole('link')).toHaveAttribute('target', '_blank')
    },
  )
  await holds(
    'The delete button of a provider takes it out of the form, and Save sends those that are left.',
    async () => {
      await page.getByRole('button', { name: 'Delete Discord nelly' }).press('Enter')
      await expect(row('Discord')).toHaveCount(0)
      await expect(unsaved(page)).toBeVisible()
      await page.route(`**${api}`, (route) => route.fulfill({ json: user }), { times: 1 })
      const call = await nextCall(page, 'PATCH', () => save(page).click())
      expect(call.path).toBe(api)
      expect(call.body).toMatchObject({ id: user.id, providers: [links[1], { providerId: '003_Credentials' }] })
    },
  )

  await holds('API keys are only there to read, by their last four characters.', async () => {
    const wanted = { name: 'Build machine', scopes: ['read'], expiresAt: null }
    const { body } = await house.call<{ id: string; key: string }>('POST', '/api/v1/user/apikeys', wanted)
    await go(page, at('ada@example.com'))
    const keys = part(page, 'API Keys')
    const heads = ['Name', 'Last Four', 'Scopes', 'Created', 'Last Used', 'Expires']
    await expect(keys.getByRole('columnheader')).toHaveText(heads)
    const cells = keys.getByRole('row', { name: 'Build machine' }).getByRole('cell')
    await expect(cells).toHaveText(['Build machine', body.key.slice(-4), 'read', /[AP]M$/, '–', 'Never'])
    await expect(keys.getByRole('button')).toHaveCount(0)
    await expect(keys.getByRole('textbox')).toHaveCount(0)
    await house.call('DELETE', `/api/v1/user/apikeys?id=${body.id}`)
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await dismiss(house, user)
})
