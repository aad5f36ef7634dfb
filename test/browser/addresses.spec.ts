import type { APIRequest, Page } from '@playwright/test'
import { can } from '../../src/shared/user.ts'
import { type House, type Session, sessionOf } from '../support/page/house.ts'
import { expect, go, type Holds, test } from '../support/page/kit.ts'
import { type Access, denied, home, type Screen, screens, signIn } from '../support/page/screens.ts'
import { dismiss, person } from '../support/page/users.ts'
import { password } from '../support/people.ts'

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

/** Somebody new with what this one is allowed, signed in. */
async function newCaller(requests: APIRequest, house: House, who: Who): Promise<Caller> {
  const roles = crowd[who]
  if (!roles) return { email: '', session: undefined }
  const username = who.toLowerCase().replaceAll(' ', '-')
  const { email } = await person(house, username, roles)
  return { email, session: await sessionOf(requests, house.url, username, password) }
}

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

test('A wrong address', async ({ page, holds, provokes }) => {
  provokes(/status of 404/)
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
    // It says so until the next screen takes its place.
    await page.evaluate(`
      window.gaps = 0
      const main = document.querySelector('main')
      new MutationObserver(() => {
        if (!main.querySelector('h1')) window.gaps += 1
      }).observe(main, { childList: true, subtree: true })`)
    await page.getByRole('main').getByRole('link', { name: 'Back home' }).click()
    await expect(page.getByRole('heading', { level: 1, name: "It's hard to know who anyone is" })).toBeVisible()
    expect(await page.evaluate('window.gaps')).toBe(0)
    await expect(page).toHaveTitle('ToolBox - Home')
  })
})

test('Who sees which page @release', async ({ page, playwright, house, holds }) => {
  test.slow()
  const callers = {} as Record<Who, Caller>
  for (const who of everyone) callers[who] = await newCaller(playwright.request, house, who)
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
  for (const { email } of Object.values(callers)) if (email) await dismiss(house, { email })
})
