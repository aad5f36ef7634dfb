import type { Page } from '@playwright/test'
import { expect, type Holds, test } from '../support/page/kit.ts'
import { type Access, screens } from '../support/page/screens.ts'

const isOpen = ({ access }: { access: Access }) => access === 'everybody' || access === 'signed out'

const scripts = /(?:^|; )script-src ([^;]*)/
/** Looks at each screen, at the policy it comes under, and at what it asks of whom. */
async function lookAt(page: Page, holds: Holds, those: typeof screens) {
  const policies = new Map<string, string>()
  const asked = new Set<string>()
  page.context().on('request', (request) => asked.add(new URL(request.url()).origin))
  for (const { path, title } of those)
    await holds(`${path} answers the screen “ToolBox - ${title}”, under the header.`, async () => {
      const answer = await page.goto(path)
      expect(answer?.status()).toBe(200)
      policies.set(path, answer?.headers()['content-security-policy'] ?? '')
      await expect(page).toHaveTitle(`ToolBox - ${title}`)
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('banner')).toBeVisible()
    })
  await holds('Their policy lets no script run that is not a file of this server or known by its hash.', async () => {
    expect([...policies.keys()]).toEqual(those.map(({ path }) => path))
    for (const [path, policy] of policies) {
      const [, sources = ''] = scripts.exec(policy) ?? []
      expect(sources, path).toMatch(/^'self'(?: 'sha256-[\w+/]{43}=')*$/)
      expect(policy, path).toContain("default-src 'none'")
    }
  })
  await holds('None of them asks anything of another origin.', async () => {
    expect([...asked]).toEqual([new URL(page.url()).origin])
  })
}

test('For everybody @release', async ({ page, holds }) => lookAt(page, holds, screens.filter(isOpen)))

test.describe('with every role', () => {
  test.use({ visitor: 'ada' })
  test('For whoever has every role @release', async ({ page, holds }) =>
    lookAt(
      page,
      holds,
      screens.filter((one) => !isOpen(one)),
    ))
})

test.describe('a wrong address', () => {
  test.use({ provoked: [/status of 404/] })
  test('A wrong address', async ({ page, holds }) => {
    for (const path of ['/nowhere', '/tools/keepalive/nowhere', '/auth/signin/user/more'])
      await holds(`${path} answers 404 with the screen “ToolBox - Wrong Page”.`, async () => {
        const answer = await page.goto(path)
        expect(answer?.status()).toBe(404)
        await expect(page).toHaveTitle('ToolBox - Wrong Page')
        expect(answer?.headers()['content-security-policy']).toMatch(scripts)
      })
    await holds('That screen says 404 and Page Not Found, under the header, and leads home.', async () => {
      await expect(page.getByRole('heading', { name: '404', exact: true })).toBeVisible()
      await expect(page.getByText('Page Not Found', { exact: true })).toBeVisible()
      await page.getByRole('main').getByRole('link', { name: 'Back home' }).click()
      await expect(page).toHaveTitle('ToolBox - Home')
    })
  })
})
