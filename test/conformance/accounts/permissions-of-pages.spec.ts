import { mergeTests, type Page } from '@playwright/test'
import { browserOf, test as crowded, everyone, has, type Who } from '../../support/page/crowd.ts'
import { expect, go } from '../../support/page/kit.ts'
import { type Access, denied, home, screens, signIn } from '../../support/page/screens.ts'
import { test as statements } from '../statements.ts'

const test = mergeTests(statements, crowded)

/** Where whoever may not see a screen is sent. */
function elsewhere(access: Access) {
  if (access === 'signed out') return home
  return access === 'signed in' ? signIn : denied
}

function sentence(path: string, access: Access): string {
  if (access === 'everybody') return `${path} is open to everybody.`
  if (access === 'signed out') return `${path} leads everybody who is signed in to /.`
  const who = access === 'signed in' ? 'whoever is signed in' : `${access[0]} ${access[1]} and more`
  return `${path} is open to ${who}, and sends everybody else to ${elsewhere(access).path}.`
}

test('Who sees which page', async ({ browser, house, callers, holds }) => {
  test.slow()
  const pages = new Map<Who, Page>()
  for (const who of everyone) {
    const page = await browserOf(browser, house, callers[who])
    // Each comes in by an address that is not for everybody; from there links lead on.
    await page.goto('/tools/keepalive/create')
    await expect(page).toHaveTitle(has(who, ['Tools', 1]) ? 'ToolBox - Create Keep Alive' : 'ToolBox - Access denied')
    pages.set(who, page)
  }
  for (const screen of screens)
    await holds(sentence(screen.path, screen.access), async () => {
      await Promise.all(
        [...pages].map(async ([who, page]) => {
          await go(page, screen.path)
          const { path, title } = has(who, screen.access) ? screen : elsewhere(screen.access)
          await expect(page, who).toHaveTitle(`ToolBox - ${title}`)
          await expect(page, who).toHaveURL(path)
        }),
      )
    })
  const main = (who: Who) => pages.get(who)!.getByRole('main')
  await holds('A visitor who is refused is offered to sign in.', async () => {
    await go(pages.get('signed out')!, denied.path)
    await expect(main('signed out').getByRole('link', { name: 'Sign in' })).toBeVisible()
  })
  await holds('A user who is refused reads that an admin can give the role.', async () => {
    await go(pages.get('no role')!, denied.path)
    await expect(main('no role')).toContainText('Ask an admin for access.')
    await expect(main('no role').getByRole('link', { name: 'Sign in' })).toHaveCount(0)
  })
  await holds('A menu item leads to the same refusal as the address.', async () => {
    const page = pages.get('no role')!
    await page.getByRole('banner').getByRole('button', { name: 'Tools' }).click()
    await page.getByRole('menuitem', { name: 'Keep Alive' }).click()
    await expect(page).toHaveURL(denied.path)
  })
  await holds('The Admin menu is there from Admin 1, and for nobody else.', async () => {
    for (const [who, page] of pages) {
      const menu = page.getByRole('banner').getByRole('button', { name: 'Admin', exact: true })
      await expect(menu, who).toHaveCount(has(who, ['Admin', 1]) ? 1 : 0)
    }
  })
  for (const page of pages.values()) await page.context().close()
})
