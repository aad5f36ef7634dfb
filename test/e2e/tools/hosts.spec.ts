import type { Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { entryAt } from '../../support/page/entry-tools.ts'
import { expect, go, test } from '../../support/page/kit.ts'

test.use({ visitor: 'ada' })

const create = '/tools/keepalive/create'
const url = (page: Page) => page.getByLabel('URL')
const chosen = (page: Page) => page.getByRole('group', { name: 'Interval' }).getByRole('radio', { checked: true })
const note = (page: Page) => page.getByRole('note', { name: 'About this host' })

test('a pasted URL of a known host chooses what that host needs, until somebody else does', async ({ page }) => {
  await page.goto(create)
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
  await url(page).fill('https://app.onrender.com')
  await expect(chosen(page)).toHaveAccessibleName('Auto 13 minutes')
  await expect(note(page)).toContainText('Hosted by Render')
  await expect(note(page)).toContainText('sleep after 15 minutes without a visit')
  await expect(note(page)).toContainText("We'll ping every 13 minutes.")
  await expect(note(page)).toContainText('Checked November 2026')
  await url(page).fill('https://example.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
  await expect(note(page)).toHaveCount(0)

  await page.getByText('Heroku', { exact: true }).click()
  await url(page).fill('app.onrender.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Heroku/)
  await expect(note(page)).toContainText('but the app sleeps after 15 minutes. Auto pings every 13 minutes.')
  expect(await barriers(page)).toEqual([])
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()
  await url(page).fill('https://app.onrender.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Auto/)

  const said = {
    'https://app.up.railway.app': 'pings cost money',
    'https://app.streamlit.app': "Plain pings wake nothing and don't count as visitors",
    'https://app.glitch.me': 'Glitch stopped hosting apps on July 8, 2025',
  }
  for (const [address, words] of Object.entries(said)) {
    await url(page).fill(address)
    await expect(note(page)).toContainText(words)
  }
  await page.getByRole('button', { name: 'Reset' }).click()

  await page.goto(`${create}?url=https://app.onrender.com/health`)
  await expect(url(page)).toHaveValue('https://app.onrender.com/health')
  await expect(chosen(page)).toHaveAccessibleName('Auto 13 minutes')
  await url(page).fill('https://example.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
  await page.getByRole('button', { name: 'Reset' }).click()
})

test('an app that needs more than requests gets its act, and says what that will do', async ({ page, house }) => {
  const kept = page.getByRole('group', { name: 'Kept awake by' })
  const visits = 'Asks every 6 hours whether the app sleeps, wakes it, and stays for 15 seconds.'
  await page.goto(create)
  await expect(kept).toHaveCount(0)
  await url(page).fill('https://app.streamlit.app')
  await expect(kept.getByRole('radio', { checked: true })).toHaveAccessibleName('Auto Visits')
  await expect(kept).toContainText(`${visits} Hosts don't promise that this works. Checked November 2026.`)
  await expect(chosen(page)).toHaveAccessibleName('Auto 6 hours')
  await expect(page.getByRole('region', { name: 'What will happen' })).toContainText('wake it')
  expect(await barriers(page)).toEqual([])
  await kept.getByText('Requests', { exact: true }).click()
  await expect(kept).toContainText("We send a plain request every 28 minutes, which doesn't keep this app awake.")
  await kept.getByText('Auto', { exact: true }).click()
  await url(page).fill('https://ada.pythonanywhere.com')
  await page.getByLabel('Extend by').fill('2027-01-31')
  await expect(page.getByRole('group', { name: 'Interval' })).toHaveCount(0)
  await url(page).fill('https://supabase.com/dashboard/project/abcdefgh/editor')
  await expect(page.getByText('The project itself is at https://abcdefgh.supabase.co')).toBeVisible()
  await url(page).fill('https://abcdefgh.supabase.co')
  await expect(chosen(page)).toHaveAccessibleName('Auto 4 hours')
  await expect(kept).toContainText(
    "Enter the project's publishable key and a table. Until then, we send a plain request",
  )
  await page.getByLabel('Publishable key').fill('sb_publishable_example')
  await page.getByLabel('Table').fill('todos')
  await expect(kept).toContainText('Queries the table in several ways every 4 hours.')
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, 'the form of an act')
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()

  const id = await entryAt(house, 'old.streamlit.app')
  await go(page, `/tools/keepalive/modify?id=${id}`)
  const offer = page.getByRole('region', { name: "Requests don't keep this app awake" })
  await expect(offer).toContainText(visits)
  await offer.getByRole('button', { name: 'Keep it awake' }).click()
  await expect(page.getByText('Successfully updated entry.')).toBeVisible()
  await expect(offer).toHaveCount(0)
  await expect(kept.getByRole('radio', { checked: true })).toHaveAccessibleName('Auto Visits')
  expect(await barriers(page)).toEqual([])
  await house.remove(id)
})

test('free hours are told in the form, on the list and at home, with quiet hours that would fit @release', async ({
  page,
  house,
}) => {
  const [one, two] = [await entryAt(house, 'one.onrender.com'), await entryAt(house, 'two.onrender.com')]
  await page.goto('/tools/keepalive/viewlist')
  await expect(page.getByText(/Render: about [\d,]+ of 750 hours this month\. At this rate,/)).toBeVisible()
  expect(await barriers(page)).toEqual([])
  await go(page, '/')
  await expect(page.getByRole('region', { name: 'Coming up' })).toContainText('of 750 hours')
  expect(await barriers(page)).toEqual([])

  await go(page, `/tools/keepalive/modify?id=${one}`)
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
  await expect(note(page)).toContainText("We'll ping every 28 minutes, but the app sleeps after 15 minutes.")
  const hours = async () =>
    Number(/about ([\d,]+) of/.exec((await note(page).textContent()) ?? '')?.[1]?.replace(',', ''))
  // What is told below the form moves its choices when it comes.
  await expect.poll(hours).toBeGreaterThan(0)
  await page.getByText('Auto', { exact: true }).click()
  await expect(chosen(page)).toHaveAccessibleName(/^Auto/)
  await expect.poll(hours).toBeGreaterThan(1_000)
  const before = await hours()
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, 'the form')
  await page.getByRole('button', { name: 'Fill in these quiet hours' }).click()
  await expect(note(page)).toContainText(/on both apps there: set them on the other as well/u)
  await expect.poll(hours).toBeLessThan(before)
  await page.getByRole('button', { name: 'Request and quiet hours' }).click()
  await expect(page.getByLabel('From')).toHaveValue('18:45')
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()
  for (const id of [one, two]) await house.remove(id)
})
