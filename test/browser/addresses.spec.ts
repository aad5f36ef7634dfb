import type { APIRequest, Page } from '@playwright/test'
import { can } from '../../src/shared/user.ts'
import { type Instance, type Session, sessionOf } from '../support/page/instance.ts'
import { expect, type Holds, navigate, test } from '../support/page/kit.ts'
import { type Access, denied, home, type Screen, screens, signIn } from '../support/page/screens.ts'
import { createTestUser, deleteUser } from '../support/page/users.ts'
import { password } from '../support/people.ts'

const isOpen = ({ access }: { access: Access }) => access === 'everybody' || access === 'signed out'
const scripts = /(?:^|; )script-src ([^;]*)/

/** Checks each screen, its content security policy and the origins that it requests. */
async function lookAt(page: Page, holds: Holds, those: typeof screens) {
  const policies = new Map<string, string>()
  const origins = new Set<string>()
  page.context().on('request', (request) => origins.add(new URL(request.url()).origin))
  for (const { path, title } of those)
    await holds(`${path} shows the screen “ToolBox - ${title}” below the header.`, async () => {
      const answer = await page.goto(path)
      expect(answer?.status()).toBe(200)
      policies.set(path, answer?.headers()['content-security-policy'] ?? '')
      await expect(page).toHaveTitle(`ToolBox - ${title}`)
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('banner')).toBeVisible()
    })
  await holds(
    'The content security policy of each page allows only scripts of this server or with a known hash.',
    async () => {
      expect([...policies.keys()]).toEqual(those.map(({ path }) => path))
      for (const [path, policy] of policies) {
        const [, sources = ''] = scripts.exec(policy) ?? []
        expect(sources, path).toMatch(/^'self'(?: 'sha256-[\w+/]{43}=')*$/)
        expect(policy, path).toContain("default-src 'none'")
      }
    },
  )
  await holds('No page sends a request to another origin.', async () => {
    expect([...origins]).toEqual([new URL(page.url()).origin])
  })
}

/** One caller per level of access. The first one is signed out and so has no roles. */
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

function has(who: Who, access: Access): boolean {
  const roles = crowd[who]
  if (access === 'everybody') return true
  if (access === 'signed out') return !roles
  if (access === 'signed in') return Boolean(roles)
  return can(roles && { roles }, ...access)
}

type Caller = { email: string; session: Session | undefined }

async function newCaller(requests: APIRequest, instance: Instance, who: Who): Promise<Caller> {
  const roles = crowd[who]
  if (!roles) return { email: '', session: undefined }
  const username = who.toLowerCase().replaceAll(' ', '-')
  const { email } = await createTestUser(instance, username, roles)
  return { email, session: await sessionOf(requests, instance.url, username, password) }
}

/** Returns the screen that callers without this access are redirected to. */
function elsewhere(access: Access) {
  if (access === 'signed out') return home
  return access === 'signed in' ? signIn : denied
}

function sentence(path: string, access: Access): string {
  if (access === 'everybody') return `${path} is public.`
  if (access === 'signed out') return `${path} redirects signed-in users to /.`
  const who = access === 'signed in' ? 'signed-in users' : `${access[0]} ${access[1]} and higher`
  return `${path} is open to ${who}, and redirects others to ${elsewhere(access).path}.`
}

/** Returns the URL and the title at which this caller ends up on opening the screen. */
function endFor(who: Who, screen: Screen): string {
  const { path, title } = has(who, screen.access) ? screen : elsewhere(screen.access)
  return `${path} ToolBox - ${title}`
}

/** Opens each URL as links do and returns where it ended up. Runs in the page, where polling hundreds is cheap. */
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

/** Turns this browser into that of another caller, and opens a screen that requires a role. */
async function become(page: Page, who: Who, { session }: Caller) {
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies(session?.cookies ?? [])
  await page.goto('/tools/keepalive/create')
  await expect(page).toHaveTitle(has(who, ['Tools', 1]) ? 'ToolBox - Create Keep Alive' : 'ToolBox - Access denied')
}

test('Pages without sign-in @release', async ({ page, holds }) => lookAt(page, holds, screens.filter(isOpen)))

test.describe('with every role', () => {
  test.use({ signedInAs: 'ada' })
  test('Pages with every role @release', async ({ page, holds }) =>
    lookAt(
      page,
      holds,
      screens.filter((one) => !isOpen(one)),
    ))
})

test('A wrong URL', async ({ page, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 404/)
  for (const path of ['/nowhere', '/tools/keepalive/nowhere', '/auth/signin/user/more'])
    await holds(`${path} answers 404 with the screen “ToolBox - Wrong Page”.`, async () => {
      const answer = await page.goto(path)
      expect(answer?.status()).toBe(404)
      await expect(page).toHaveTitle('ToolBox - Wrong Page')
      expect(answer?.headers()['content-security-policy']).toMatch(scripts)
    })
  await holds('The screen of an unknown address reads 404 and Page Not Found, and links to Home.', async () => {
    await expect(page.getByRole('heading', { name: '404', exact: true })).toBeVisible()
    await expect(page.getByText('Page Not Found', { exact: true })).toBeVisible()
    // It must stay until the next screen replaces it.
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

test('Access to each page @release', async ({ page, playwright, instance, holds }) => {
  test.slow()
  const callers = {} as Record<Who, Caller>
  for (const who of everyone) callers[who] = await newCaller(playwright.request, instance, who)
  const actualEnds = new Map<Screen, [Who, string][]>(screens.map((screen) => [screen, []]))
  const withAdminMenu: Who[] = []
  for (const who of everyone.toReversed()) {
    await become(page, who, callers[who])
    const ways = screens.map((screen) => [screen.path, endFor(who, screen)])
    const ends = await page.evaluate<string[]>(`(${walk})(${JSON.stringify(ways)})`)
    for (const [n, end] of ends.entries()) actualEnds.get(screens[n]!)?.push([who, end])
    const menu = page.getByRole('banner').getByRole('button', { name: 'Admin', exact: true })
    if ((await menu.count()) === 1) withAdminMenu.unshift(who)
  }
  for (const screen of screens)
    await holds(sentence(screen.path, screen.access), async () => {
      const ends = everyone.toReversed().map((who) => [who, endFor(who, screen)])
      expect(actualEnds.get(screen)).toEqual(ends)
    })

  const main = page.getByRole('main')
  await holds('A refused visitor can sign in there.', async () => {
    await navigate(page, denied.path)
    await expect(main.getByRole('link', { name: 'username and password' })).toBeVisible()
  })
  await become(page, 'no role', callers['no role'])
  await holds('A refused user reads that an admin can grant the role.', async () => {
    await expect(main).toContainText('Ask an admin for access.')
    await expect(main.getByRole('link', { name: 'username and password' })).toHaveCount(0)
  })
  await holds('A menu item leads to the same refusal as the URL.', async () => {
    await navigate(page, home.path)
    await page.getByRole('banner').getByRole('button', { name: 'Tools' }).click()
    await page.getByRole('menuitem', { name: 'Keep Alive' }).click()
    await expect(page).toHaveURL(denied.path)
  })
  await holds('Only users with Admin 1 or higher have the Admin menu.', async () => {
    expect(withAdminMenu).toEqual(everyone.filter((who) => has(who, ['Admin', 1])))
  })
  // Leave the screen first: its user is deleted next, and its requests would fail.
  await page.goto('about:blank')
  for (const { email } of Object.values(callers)) if (email) await deleteUser(instance, { email })
})
