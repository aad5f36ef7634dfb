import type { APIRequest, Page } from '@playwright/test'
import { can } from '../../../src/shared/user.ts'
import { type House, type Session, sessionOf } from '../../support/page/house.ts'
import { expect, go, test as statements } from '../../support/page/kit.ts'
import { type Access, denied, home, type Screen, screens, signIn } from '../../support/page/screens.ts'
import { dismiss, person } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'

/** One caller for each thing a user may be allowed; the roles of the first are nobody's. */
const crowd = {
  'signed out': undefined,
  'no role': { Tools: 0, Admin: 0 },
  'Tools 1': { Tools: 1, Admin: 0 },
  'Tools 2': { Tools: 2, Admin: 0 },
  'Admin 1': { Tools: 0, Admin: 1 },
  'Admin 2': { Tools: 0, Admin: 2 },
} as const
type Who = keyof typeof crowd
const everyone = Object.keys(crowd) as Who[]

/** Whether this caller has what is asked for. */
function has(who: Who, access: Access): boolean {
  const roles = crowd[who]
  if (access === 'everybody') return true
  if (access === 'signed out') return !roles
  if (access === 'signed in') return Boolean(roles)
  return can(roles && { roles }, ...access)
}

type Caller = { email: string; session: Session | undefined }

/** Somebody new with these roles, signed in. */
async function newCaller(requests: APIRequest, house: House, name: string, roles: object): Promise<Caller> {
  const username = name.toLowerCase().replaceAll(' ', '-')
  const { email } = await person(house, username, roles)
  return { email, session: await sessionOf(requests, house.url, username, password) }
}

/** ToolBox with somebody of each kind. */
const test = statements.extend<{ callers: Record<Who, Caller> }>({
  callers: async ({ playwright, house }, use) => {
    const callers: [string, Caller][] = []
    for (const [who, roles] of Object.entries(crowd)) {
      const visitor = { email: '', session: undefined }
      callers.push([who, roles ? await newCaller(playwright.request, house, who, roles) : visitor])
    }
    await use(Object.fromEntries(callers) as Record<Who, Caller>)
    for (const [, caller] of callers) if (caller.email) await dismiss(house, caller)
  },
})

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
    const late = performance.now() + 30_000
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
  await holds('A visitor who is refused signs in there.', async () => {
    await go(page, denied.path)
    await expect(main.getByRole('link', { name: 'username and password' })).toBeVisible()
  })
  await become(page, 'no role', callers['no role'])
  await holds('A user who is refused reads that an admin can give the role.', async () => {
    await expect(main).toContainText('Ask an admin for access.')
    await expect(main.getByRole('link', { name: 'username and password' })).toHaveCount(0)
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
