import { dayOf, days } from '../../../src/shared/time.ts'
import { monthAfter } from '../../../src/tools/keepalive/acts/person.ts'
import { accessibilityViolations, expectUsable } from '../../support/page/accessibility.ts'
import { createEntryAtHost } from '../../support/page/entry-tools.ts'
import { expect, navigate, test } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const list = '/tools/keepalive/viewlist'
const modify = (id: string) => `/tools/keepalive/modify?id=${id}`
const supabase = { keep: 'supabase', supabase: { key: 'sb_publishable_example', table: 'todos' } }
const dashboard = 'https://supabase.com/dashboard/project/abcdefgh'

test('a paused project is shown as paused everywhere, with a link to restore it', async ({ page, instance }) => {
  const note = `paused: restore it at ${dashboard} until 26/11/2027`
  const memory = { awakeAt: Date.UTC(2026, 10, 26, 12), pausedAt: Date.UTC(2026, 10, 28, 12) }
  const paused = { awake: 'paused', success: false, note, memory } as const
  const id = await createEntryAtHost(instance, 'abcdefgh.supabase.co', { ...supabase, name: 'Shop' }, paused)
  await page.goto(list)
  const row = page.getByRole('row', { name: /Shop/ })
  await expect(row).toContainText(/Failing for .* · paused: restore it at/)
  await expect(row).not.toContainText('paused by its host')

  await navigate(page, modify(id))
  await expect(page.getByRole('banner').or(page.locator('header')).filter({ hasText: 'Shop' })).toContainText(
    'paused by its host',
  )
  const offer = page.getByRole('region', { name: 'Paused by its host' })
  await expect(offer).toContainText('Restore it in the Supabase dashboard by 26/11/2027.')
  await expect(offer.getByRole('link', { name: 'Restore it' })).toHaveAttribute('href', dashboard)
  await expectUsable(page, 'the page of a paused project')

  const entries = [{ tool: 'keepalive', id }]
  await instance.call('PUT', '/api/v1/user/status', { slug: 'paused-apps', title: 'Apps', entries })
  await page.goto('/status/paused-apps')
  await expect(page.getByText('Failing · paused by its host')).toBeVisible()
})

test('one click applies an act to all entries that it can keep awake', async ({ page, instance }) => {
  const hosts = ['one.streamlit.app', 'two.streamlit.app', 'abcdefgh.supabase.co']
  const [one = '', two = '', project = ''] = await Promise.all(hosts.map((host) => createEntryAtHost(instance, host)))
  await page.goto(modify(project))
  const offer = page.getByRole('region', { name: "Requests don't keep this app awake" })
  await expect(offer).toContainText("Needs the project's publishable key and a table.")
  await expect(offer.getByRole('button', { name: 'Keep 2 other entries awake' })).toBeVisible()
  // A button outside the form must not count as a conflicting edit.
  await page.getByLabel('Name').fill('Project')
  await offer.getByRole('button', { name: 'Keep it awake' }).click()
  await expect(page.getByText('Saved. Without a publishable key')).toBeVisible()
  await expect(offer.getByRole('link', { name: 'Go to Settings' })).toBeVisible()
  await expect(page.getByLabel('Publishable key')).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await expect(page.getByText('in another tab')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Project')

  await navigate(page, modify(one))
  await offer.getByRole('button', { name: 'Keep all 2 awake' }).click()
  await expect(page.getByText('2 kept awake from now on.')).toBeVisible()
  await expect(offer).toHaveCount(0)
  for (const id of [one, two])
    expect((await instance.entries()).find((entry) => entry.id === id)).toMatchObject({ kept: 'streamlit', every: 360 })
})

test('an entry that only reminds its owner shows no runs and cannot be run', async ({ page, instance }) => {
  const due = dayOf(Date.now() + days(5))
  const label = (day: string) => day.split('-').reverse().join('/')
  const next = label(monthAfter(due))
  const id = await createEntryAtHost(instance, 'ada.pythonanywhere.com', { name: 'Homework', keep: 'person', due })
  await page.goto(modify(id))
  const extend = page.getByRole('region', { name: `Extend by ${label(due)}` })
  const place = 'https://www.pythonanywhere.com/user/ada/webapps/'
  await expect(extend.getByRole('link', { name: 'Open the host' })).toHaveAttribute('href', place)
  await expect(page.getByRole('button', { name: 'Run now' })).toHaveCount(0)
  await expect(page.getByText('No runs yet')).toHaveCount(0)
  await expect(page.getByText('Reminder only', { exact: true })).toBeVisible()
  await expectUsable(page, 'the page of a reminder')
  await extend.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(`Extend it again by ${next}.`)).toBeVisible()

  await navigate(page, list)
  const row = page.getByRole('row', { name: /Homework/ })
  await expect(row).toContainText(`Reminder only · extend by ${next}`)
  await row.getByRole('button', { name: 'More for Homework' }).click()
  await expect(page.getByRole('menuitem', { name: 'Pause' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Run now' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await row.getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: 'Selected entries' }).or(page.getByLabel('Selected entries'))
  await expect(bar.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(bar.getByRole('button', { name: 'Run now' })).toHaveCount(0)
})
