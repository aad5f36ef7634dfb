import type { Locator, Page, Route } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../support/page/accessibility.ts'
import { createFailingEntry, recover, entryRows as rows } from '../support/page/entry-tools.ts'
import { delayRequests, expect, test, toasts } from '../support/page/kit.ts'
import { list } from '../support/page/long-list.ts'

const modify = '/tools/keepalive/modify'
const refuse = (route: Route) => route.fulfill({ status: 503, json: { error: 'Try again later.' } })
const failureNote = (page: Page) =>
  page.getByRole('alert').filter({ hasText: "Couldn't load the state of your entries" })
const icon = (page: Page) => page.locator('link[rel=icon]')

test('For a visitor', async ({ page, holds }) => {
  await page.goto('/')
  const main = page.getByRole('main')
  await holds('The title is ToolBox - Home.', async () => {
    await expect(page).toHaveTitle('ToolBox - Home')
  })
  await holds("It reads: It's hard to know who anyone is.", async () => {
    await expect(main.getByText("It's hard to know who anyone is", { exact: true })).toBeVisible()
    await expect(main.getByText('Welcome')).toHaveCount(0)
  })
  await holds('The link "sign in" leads to the sign-in page.', async () => {
    await main.getByRole('link', { name: 'sign in', exact: true }).click()
    await expect(page).toHaveURL('/auth/signin')
  })
})

test.describe('signed in', () => {
  test.use({ signedInAs: 'ada' })
  test('For a signed-in user', async ({ page, instance, holds }) => {
    const today = new Date().getUTCDate()
    const ids = [await instance.entry('/lately'), await instance.entry('/at-rest', { status: false })]
    await expect.poll(() => instance.target.visits('/lately')).toBeGreaterThan(0)
    await fetch(`${instance.url}/api/v1/analyticsbadge/on_the_card`)
    const entries = await instance.entries()
    const resting = entries.filter(({ status }) => !status).length
    await page.goto('/')
    const main = page.getByRole('main')
    // The numbers of a day start again from 0 at midnight.
    const some = () => (new Date().getUTCDate() === today ? '[1-9]\\d*' : '\\d+')
    await holds('A signed-in user gets the same title.', async () => {
      await expect(page).toHaveTitle('ToolBox - Home')
    })
    await holds('Home reads Welcome and the user’s name, without a sign-in link.', async () => {
      await expect(main.getByRole('heading', { name: 'Welcome ada', exact: true })).toBeVisible()
      await expect(main.getByRole('link', { name: 'sign in' })).toHaveCount(0)
    })
    await holds('Each tool has a card with its state, and Numbers sums up entries and pings.', async () => {
      const card = (name: string) =>
        main.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: name })
      const names = ['Analytics Badge', 'Keep Alive', 'Heroku Discord Webhook', 'GitHub Media Invalidator']
      await expect(main.getByRole('list', { name: 'Tools' }).getByRole('heading')).toHaveText(names)
      await expect(card('Analytics Badge')).toContainText(new RegExp(`${some()} views? today`))
      await expect(card('Keep Alive')).toContainText(`${entries.length - resting} up · ${resting} paused`)
      await expect(card('Keep Alive').getByRole('img', { name: /^The last (\d+ )?runs?/ })).toBeVisible()
      for (const name of ['Heroku Discord Webhook', 'GitHub Media Invalidator'])
        await expect(card(name)).toContainText(/No entries yet|\d (fresh|delivering|new|paused)/)
      const number = (name: string) =>
        main.getByRole('region', { name: 'Numbers' }).locator('div').filter({ hasText: name })
      await expect(number('Entries')).toContainText(`${entries.length}`)
      await expect(number('Pings today')).toContainText(new RegExp(`${some()}None failed`))
    })
    await holds('Recent runs link to their entries.', async () => {
      const run = main.getByRole('region', { name: 'Recent runs' }).getByRole('listitem').filter({ hasText: '/lately' })
      await expect(run).toContainText('SUCCESS')
      await expect(run).toContainText('Keep Alive')
      await expect(run.getByRole('link')).toHaveAttribute('href', `/tools/keepalive/modify?id=${ids[0]}`)
    })
    await holds('Admins see the first steps of a new server below the tools, until done or dismissed.', async () => {
      const region = main.getByRole('region', { name: 'First steps' })
      const steps = region.getByRole('listitem')
      // Once an entry exists, the steps collapse to one line below the tools.
      await expect(region).toHaveText(/^First steps\d of 7 done/)
      await expect(steps.first()).toBeHidden()
      await expect(region.getByText(/^Next: /)).toBeVisible()
      await region.getByText('First steps').click()
      await expect(region.getByText(/^Next: /)).toBeHidden()
      await expect(steps.filter({ hasText: 'Done: Create the first entry' })).toBeVisible()
      await expect(steps.filter({ hasText: 'Done: On this computer, http is enough' })).toBeVisible()
      await expect(page.getByText('Turn on HTTPS')).toHaveCount(0)
      const provider = steps.filter({ hasText: 'Let people sign in with a provider' })
      await provider.getByText('Callback URLs').click()
      await expect(provider).toContainText(`${instance.url}/api/auth/callback/002_Github`)
      await expect(provider.getByRole('link', { name: 'Register at GitHub' })).toHaveAttribute(
        'href',
        /settings\/developers$/,
      )
      expect(await accessibilityViolations(page)).toEqual([])
      const top = async (place: Locator) => (await place.boundingBox())?.y ?? 0
      const ofTools = await top(page.getByRole('list', { name: 'Tools' }))
      expect(await top(region)).toBeGreaterThan(ofTools)
      await expectFitsPhone(page, '/')

      const dismiss = steps.getByRole('button', { name: /^Dismiss/ }).first()
      const name = (await dismiss.getAttribute('aria-label')) ?? ''
      await dismiss.click()
      await expect(toasts(page, 'success', 'Dismissed for all admins.')).toBeVisible()
      await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
      await page.reload()
      await region.getByText('First steps').click()
      await expect(steps.first()).toBeVisible()
      await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
    })
    await holds('The user’s name links to the profile.', async () => {
      await main.getByRole('link', { name: 'ada', exact: true }).click()
      await expect(page).toHaveURL('/user')
    })
  })
})

test.describe('without access', () => {
  test.use({ signedInAs: 'grace' })
  test('For a user without access to the tools', async ({ page, holds }) => {
    await page.goto('/')
    const main = page.getByRole('main')
    const header = page.getByRole('banner')
    await expect(header.getByRole('button', { name: 'grace', exact: true })).toBeVisible()
    await holds('Without the Admin role there is no Admin dropdown.', async () => {
      await expect(header.getByRole('button', { name: 'Tools', exact: true })).toBeVisible()
      await expect(header.getByRole('button', { name: 'Admin', exact: true })).toHaveCount(0)
    })
    await holds("It reads: You don't have access to the tools yet.", async () => {
      await expect(main.getByText("You don't have access to the tools yet.")).toBeVisible()
    })
    await holds('Cards of tools that need access read No access, and still link to the tool.', async () => {
      const cards = main.getByRole('list', { name: 'Tools' }).getByRole('listitem')
      for (const name of ['Keep Alive', 'GitHub Media Invalidator', 'Heroku Discord Webhook'])
        await expect(cards.filter({ hasText: name })).toContainText('No access')
      await expect(cards.filter({ hasText: 'Analytics Badge' })).not.toContainText('No access')
      await expect(cards.getByRole('link')).toHaveCount(4)
    })
    await holds('The profile links to Home for requesting access.', async () => {
      await page.goto('/user')
      await main.getByRole('link', { name: 'Ask an admin for access.' }).click()
      await expect(page).toHaveURL('/')
    })
    await holds('Request access opens a dialog with an optional message; Cancel sends nothing.', async () => {
      await main.getByRole('button', { name: 'Request access' }).click()
      const dialog = page.getByRole('dialog', { name: 'Request access' })
      await expect(dialog.getByLabel('Message (optional)')).toBeVisible()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(dialog).toHaveCount(0)
      await expect(main.getByRole('button', { name: 'Request access' })).toBeVisible()
    })
  })
})

test.describe('on a new server', () => {
  test.use({ signedInAs: 'ada' })

  test('the first steps link to creating the first entry', async ({ page }) => {
    await page.goto('/')
    const steps = page.getByRole('region', { name: 'First steps' })
    await expect(steps.getByRole('link', { name: 'Create entry' })).toHaveAttribute('href', '/tools/keepalive/create')
    const first = page.getByRole('link', { name: 'Create one in Heroku Discord Webhook' })
    await expect(first).toHaveAttribute('href', '/tools/herokudiscordwebhook/create')
  })

  test('the tools on Home do not move once they are visible @release', async ({ page }) => {
    await page.addInitScript(`
    window.places = []
    const look = () => {
      const isSeen = document.querySelector('main ul[aria-label="Tools"]')?.checkVisibility({ visibilityProperty: true })
      const heading = document.querySelector('main section h2')?.textContent
      const place = isSeen ? 'below ' + heading : 'unseen'
      if (place !== window.places.at(-1)) window.places.push(place)
      requestAnimationFrame(look)
    }
    look()`)
    await page.goto('/')
    await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate('window.places')).toEqual(['unseen', 'below First steps'])
  })
})

test.describe('with failing entries', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 1400, height: 900 } })

  test('Home does not call all good what it could not load, and loads it again on request', async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 503/)
    await instance.entry('/unknown-at-home', { status: false })
    const main = page.getByRole('main')
    const failed = failureNote(page)
    for (const part of ['incidents?open=true*', 'keepalive/figures*', 'keepalive/recent*']) {
      await page.route(`**/api/v1/${part}`, refuse)
      await page.goto('/')
      await expect(failed, part).toBeVisible()
      await expect(main.getByText('All good')).toHaveCount(0)
      await expect(main.getByRole('list', { name: 'Tools' }).getByRole('link', { name: 'Keep Alive' })).toBeVisible()
      expect.soft(await accessibilityViolations(page), part).toEqual([])
      // Delayed, so that a regular refetch doesn't remove the button before it is clicked.
      const answer = await delayRequests(page, `**/api/v1/${part}`)
      await main.getByRole('button', { name: 'Try again' }).click()
      answer()
      await expect(failed).toHaveCount(0)
      await expect(main.getByText('All good')).toBeVisible()
    }
  })

  test('Home shows the open incidents and first steps even if it could not load the rest', async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 503/)
    await createFailingEntry(instance, 'Known API')
    await page.route('**/api/v1/keepalive/figures*', refuse)
    await page.goto('/')
    await expect(failureNote(page)).toContainText('Your data is safe.')
    await expect(page.getByRole('region', { name: 'Open incidents' })).toContainText('Known API')
    await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Numbers' })).toHaveCount(0)
    const card = page.getByRole('main').getByRole('list', { name: 'Tools' }).getByRole('listitem')
    await expect(card.filter({ hasText: 'Keep Alive' })).toContainText('A regular ping keeps yours awake.')
    expect(await accessibilityViolations(page)).toEqual([])
  })

  test('Home says so if it could not load the session, and recovers', async ({ page, allowConsoleErrors }) => {
    allowConsoleErrors(/status of 503|ERR_FAILED/)
    const session = '**/api/v1/auth/session'
    const failed = page.getByRole('heading', { level: 1, name: "Couldn't load this page" })
    const welcome = page.getByRole('heading', { level: 1, name: 'Welcome' })
    await page.route(session, refuse)
    await page.goto('/')
    await expect(failed).toBeVisible()
    await expect(page.getByRole('main').getByRole('list', { name: 'Tools' })).toBeVisible()
    expect.soft(await accessibilityViolations(page)).toEqual([])
    // Delayed, so that a regular refetch doesn't remove the button before it is clicked.
    const answer = await delayRequests(page, session)
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    answer()
    await expect(welcome).toBeVisible()
    await page.route(session, (route) => route.abort())
    await page.reload()
    await expect(failed).toBeVisible()
    await page.unroute(session)
    // By itself, with the next regular refetch.
    await expect(welcome).toBeVisible()
    await expect(failed).toHaveCount(0)
  })

  test('Home and the tab icon show whether entries fail, and list those first', async ({ page, instance }) => {
    for (const { id } of await instance.entries()) await instance.remove(id)
    const fine = await instance.entry('/fine-at-home')
    await page.goto('/')
    const main = page.getByRole('main')
    const incidents = main.getByRole('region', { name: 'Open incidents' })
    await expect(main.getByText('All good · 1 entry is up')).toBeVisible()
    await expect(icon(page)).toHaveAttribute('href', /\/icon-[^/]*\.svg$/)
    const usual = await icon(page).getAttribute('href')

    const many = Array.from({ length: 200 }, (_, at) => ({
      ...{ id: String(at), entry: fine, tool: 'keepalive', name: 'One', about: 'one', since: 1, openedAt: 1 },
      ...{ closedAt: null, cause: 'answered 503', blocked: false },
    }))
    const older = { ...many[0], id: 'older', openedAt: 0 }
    await page.route('**/api/v1/incidents?open=true*', (route) =>
      route.fulfill({ json: route.request().url().endsWith('&before=1') ? [older] : many }),
    )
    await page.reload()
    await incidents.getByRole('button', { name: 'Show the newest 200' }).click()
    await expect(incidents.getByRole('listitem')).toHaveCount(200)
    await incidents.getByRole('button', { name: 'Show older' }).click()
    await expect(incidents.getByRole('listitem')).toHaveCount(201)
    await expect(incidents.getByRole('button', { name: 'Show' })).toHaveCount(0)
    await page.unroute('**/api/v1/incidents?open=true*')
    await page.reload()

    const url = instance.target.url('/down')
    const soon = await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', {
      name: 'Mailer',
      url,
      notifyAfter: 3,
    })
    const line = main.getByText('Mailer is failing · 2 more failed runs open an incident and notify the owner')
    await expect(line).toBeVisible()
    await expect(line.getByRole('link', { name: 'Mailer' })).toHaveAttribute('href', `${modify}?id=${soon.body.id}`)
    await instance.remove(soon.body.id)
    await expect(main.getByText('All good · 1 entry is up')).toBeVisible()

    const bad = await createFailingEntry(instance, 'Billing API')
    await expect(incidents.getByRole('listitem')).toHaveText([
      /^Billing APIKeep Alive · 127.0.0.1:\d+\/downFailing for \d+ \w+answered 503Run now Billing APIOpen Billing API$/,
    ])
    await expect(incidents.getByRole('img', { name: 'The last run failed' })).toBeVisible()
    await expect(main.getByText('All good')).toHaveCount(0)
    const visits = instance.target.visits('/down')
    await incidents.getByRole('button', { name: 'Run now Billing API' }).click()
    await expect(page.getByText('Run started.')).toBeVisible()
    await expect.poll(() => instance.target.visits('/down')).toBe(visits + 1)
    const bottom = () => incidents.evaluate((place) => place.getBoundingClientRect().bottom)
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(bottom).toBeLessThan(300)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(bottom).toBeLessThan(240)
    await expect(icon(page)).toHaveAttribute('href', /\/icon-trouble-/)
    const card = main.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
    await expect(card.getByRole('link', { name: /Keep Alive/ })).toHaveAttribute('href', '/tools/keepalive')
    await card.getByRole('link', { name: '1 failing' }).click()
    await expect(page).toHaveURL(`${list}?health=failing`)
    await expect(rows(page)).toHaveText([/Billing API/])
    await page.goBack()
    await incidents.getByRole('link', { name: 'Open Billing API' }).click()
    await expect(page).toHaveURL(`${modify}?id=${bad}`)
    await page.getByRole('link', { name: '1 failing entry' }).click()
    await expect(page).toHaveURL(`${list}?health=failing`)
    // No single list shows both failing and blocked entries, so the link leads to Home.
    await page.route('**/figures*', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...(await answer.json()), blocked: 1 } })
    })
    await page.goto('/tools/keepalive/create')
    await page.getByRole('link', { name: /failing entries/ }).click()
    await expect(page).toHaveURL('/')
    await page.unrouteAll({ behavior: 'ignoreErrors' })

    await page.goto('/')
    await expect(incidents).toBeVisible()
    await recover(instance, bad)
    await expect(main.getByText('All good · 2 entries are up')).toBeVisible()
    await expect(incidents).toHaveCount(0)
    await expect(card.getByRole('link', { name: 'failing' })).toHaveCount(0)
    await expect(icon(page)).toHaveAttribute('href', usual ?? '')
  })
})
