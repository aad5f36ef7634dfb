import { mergeTests, type Page } from '@playwright/test'
import { type Caller, test as crowded, everyone, has, type Who } from '../../support/page/crowd.ts'
import { expect, go } from '../../support/page/kit.ts'
import { type Access, denied, home, type Screen, screens, signIn } from '../../support/page/screens.ts'
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

/** The address and the title at which this caller ends who goes to such a screen. */
function endFor(who: Who, screen: Screen): string {
  const { path, title } = has(who, screen.access) ? screen : elsewhere(screen.access)
  return `${path} ToolBox - ${title}`
}

/**
 * Goes to each address as links do and on as soon as it ends where it should; answers where each did. In the page, where
 * a look costs nothing: there are hundreds.
 */
const walk = `async (ways) => {
  const ends = []
  for (const [path, wanted] of ways) {
    history.pushState(null, '', path)
    const end = () => location.pathname + location.search + ' ' + document.title
    const late = performance.now() + 10_000
    do await new Promise((next) => setTimeout(next, 5))
    while (end() !== wanted && performance.now() < late)
    ends.push(end())
  }
  return ends
}`

/** Makes this browser that of another caller, who comes in by an address that is not for everybody. */
async function become(page: Page, who: Who, { session }: Caller) {
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies(session?.cookies ?? [])
  await page.goto('/tools/keepalive/create')
  await expect(page).toHaveTitle(has(who, ['Tools', 1]) ? 'ToolBox - Create Keep Alive' : 'ToolBox - Access denied')
}

test('Who sees which page', async ({ page, callers, holds }) => {
  test.slow()
  const seen = new Map<Screen, [Who, string][]>(screens.map((screen) => [screen, []]))
  const withAdminMenu: Who[] = []
  for (const who of everyone.toReversed()) {
    await become(page, who, callers[who])
    const ways = screens.map((screen) => [screen.path, endFor(who, screen)])
    const ends = await page.evaluate<string[]>(`(${walk})(${JSON.stringify(ways)})`)
    for (const [n, end] of ends.entries()) seen.get(screens[n]!)?.push([who, end])
    const menu = page.getByRole('banner').getByRole('button', { name: 'Admin', exact: true })
    if ((await menu.count()) === 1) withAdminMenu.unshift(who)
  }
  for (const screen of screens)
    await holds(sentence(screen.path, screen.access), async () => {
      const ends = everyone.toReversed().map((who) => [who, endFor(who, screen)])
      expect(seen.get(screen)).toEqual(ends)
    })

  const main = page.getByRole('main')
  await holds('A visitor who is refused is offered to sign in.', async () => {
    await go(page, denied.path)
    await expect(main.getByRole('link', { name: 'Sign in' })).toBeVisible()
  })
  await become(page, 'no role', callers['no role'])
  await holds('A user who is refused reads that an admin can give the role.', async () => {
    await expect(main).toContainText('Ask an admin for access.')
    await expect(main.getByRole('link', { name: 'Sign in' })).toHaveCount(0)
  })
  await holds('A menu item leads to the same refusal as the address.', async () => {
    await go(page, home.path)
    await page.getByRole('banner').getByRole('button', { name: 'Tools' }).click()
    await page.getByRole('menuitem', { name: 'Keep Alive' }).click()
    await expect(page).toHaveURL(denied.path)
  })
  await holds('The Admin menu is there from Admin 1, and for nobody else.', async () => {
    expect(withAdminMenu).toEqual(everyone.filter((who) => has(who, ['Admin', 1])))
  })
  // Its user is deleted next, and a screen would ask in vain.
  await page.goto('about:blank')
})
