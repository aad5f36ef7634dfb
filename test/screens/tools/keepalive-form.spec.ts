import type { Page } from '@playwright/test'
import { accessibilityViolations, expectUsable } from '../../support/page/accessibility.ts'
import { createEntryAtHost } from '../../support/page/entry-tools.ts'
import { expect, navigate, test, toasts } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const create = '/tools/keepalive/create'
const url = (page: Page) => page.getByLabel('URL')
const chosen = (page: Page) => page.getByRole('group', { name: 'Interval' }).getByRole('radio', { checked: true })
const note = (page: Page) => page.getByRole('note', { name: 'About this host' })
const advanced = (page: Page) => page.getByRole('button', { name: 'Request and quiet hours' })

test('the URL of a known host selects its interval, unless the user has selected one', async ({ page }) => {
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
  expect(await accessibilityViolations(page)).toEqual([])
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()
  await url(page).fill('https://app.onrender.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Auto/)

  const hints = {
    'https://app.up.railway.app': 'pings cost money',
    'https://app.streamlit.app': "Plain pings wake no app and don't count as visitors",
    'https://app.glitch.me': 'Glitch stopped hosting apps on July 8, 2025',
  }
  for (const [address, words] of Object.entries(hints)) {
    await url(page).fill(address)
    await expect(note(page)).toContainText(words)
  }
  await page.getByRole('button', { name: 'Reset' }).click()

  await page.goto(`${create}?url=https://app.onrender.com/health`)
  await expect(url(page)).toHaveValue('https://app.onrender.com/health')
  await expect(chosen(page)).toHaveAccessibleName('Auto 13 minutes')
  await url(page).fill('https://example.com')
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
})

test('the form offers and explains an act for an app that plain requests cannot wake', async ({ page, instance }) => {
  const actGroup = page.getByRole('group', { name: 'Kept awake by' })
  const visits = 'We check every 6 hours whether the app is asleep, wake it, and stay for 15 seconds.'
  await page.goto(create)
  await expect(actGroup).toHaveCount(0)
  await url(page).fill('https://app.streamlit.app')
  await expect(actGroup.getByRole('radio', { checked: true })).toHaveAccessibleName('Auto Visits')
  await expect(actGroup).toContainText(`${visits} Hosts don't promise that this works. Checked November 2026.`)
  await expect(chosen(page)).toHaveAccessibleName('Auto 6 hours')
  await expect(page.getByRole('region', { name: 'What will happen' })).toContainText('wake it')
  expect(await accessibilityViolations(page)).toEqual([])
  await actGroup.getByText('Requests', { exact: true }).click()
  await expect(actGroup).toContainText("We send a plain request every 28 minutes, which doesn't keep this app awake.")
  await actGroup.getByText('Auto', { exact: true }).click()
  await url(page).fill('https://ada.pythonanywhere.com')
  await page.getByLabel('Extend by').fill('2027-01-31')
  await expect(page.getByRole('group', { name: 'Interval' })).toHaveCount(0)
  await url(page).fill('https://supabase.com/dashboard/project/abcdefgh/editor')
  await expect(page.getByText('The project itself is at https://abcdefgh.supabase.co')).toBeVisible()
  await url(page).fill('https://abcdefgh.supabase.co')
  await expect(chosen(page)).toHaveAccessibleName('Auto 4 hours')
  await expect(actGroup).toContainText(
    "Enter the project's publishable key and a table. Until then, we send a plain request",
  )
  await page.getByLabel('Publishable key').fill('sb_publishable_example')
  await page.getByLabel('Table').fill('todos')
  await expect(actGroup).toContainText('We query the table in several ways every 4 hours.')
  await expectUsable(page, 'the form of an act')
  page.on('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()

  const id = await createEntryAtHost(instance, 'old.streamlit.app')
  await navigate(page, `/tools/keepalive/modify?id=${id}`)
  const offer = page.getByRole('region', { name: "Requests don't keep this app awake" })
  await expect(offer).toContainText(visits)
  await offer.getByRole('button', { name: 'Keep it awake' }).click()
  await expect(page.getByText('Successfully updated entry.')).toBeVisible()
  await expect(offer).toHaveCount(0)
  await expect(actGroup.getByRole('radio', { checked: true })).toHaveAccessibleName('Auto Visits')
  expect(await accessibilityViolations(page)).toEqual([])
})

test('free hours are shown in the form, in the list and on Home @release', async ({ page, instance }) => {
  const one = await createEntryAtHost(instance, 'one.onrender.com')
  await createEntryAtHost(instance, 'two.onrender.com')
  await page.goto('/tools/keepalive/viewlist')
  // By the last day of a month, they may be used up.
  await expect(
    page.getByText(/Render: about [\d,]+ of 750 hours this month\. (At this rate,|They are used up)/),
  ).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await navigate(page, '/')
  await expect(page.getByRole('region', { name: 'Coming up' })).toContainText('of 750 hours')
  expect(await accessibilityViolations(page)).toEqual([])

  await navigate(page, `/tools/keepalive/modify?id=${one}`)
  await expect(chosen(page)).toHaveAccessibleName(/^Default/)
  await expect(note(page)).toContainText("We'll ping every 28 minutes, but the app sleeps after 15 minutes.")
  const hours = async () =>
    Number(/about ([\d,]+) of/.exec((await note(page).textContent()) ?? '')?.[1]?.replace(',', ''))
  // Wait for the hours: their arrival moves the choices below the pointer.
  await expect.poll(hours).toBeGreaterThan(0)
  await page.getByText('Auto', { exact: true }).click()
  await expect(chosen(page)).toHaveAccessibleName(/^Auto/)
  await expect.poll(hours).toBeGreaterThan(1_000)
  const before = await hours()
  await expectUsable(page, 'the form')
  await page.getByRole('button', { name: 'Fill in these quiet hours' }).click()
  await expect(note(page)).toContainText(/on both apps there: set them on the other as well/u)
  await expect.poll(hours).toBeLessThan(before)
  await page.getByRole('button', { name: 'Request and quiet hours' }).click()
  await expect(page.getByLabel('From')).toHaveValue('18:45')
  page.on('dialog', (dialog) => dialog.accept())
})

test('advanced settings are folded until needed, and saving keeps them', async ({ page, instance }) => {
  await page.goto(create)
  await expect(advanced(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(page.getByText('GET · no headers · any status below 400')).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Quiet hours' })).toHaveCount(0)
  await page.getByLabel('URL').fill(instance.target.url('/requests'))
  await advanced(page).click()
  await page.getByRole('switch', { name: 'Quiet hours' }).click()
  await page.getByLabel('To', { exact: true }).fill('06:30')
  await page.getByText('HEAD', { exact: true }).click()
  await expect(page.getByLabel('Must contain')).toBeDisabled()
  await page.getByText('GET', { exact: true }).click()
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByLabel('Header 1', { exact: true }).fill('apikey')
  await page.getByLabel('Value 1', { exact: true }).fill('a-key-that-nobody-sees')
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByLabel('Expected codes').fill('200-299')
  await page.getByLabel('Must not contain').fill('Application error')
  await page.getByText('Custom', { exact: true }).click()
  const every = page.getByLabel('Minutes between pings')
  await every.fill('')
  await page.keyboard.press('Control+s')
  await expect(every).toHaveAttribute('aria-invalid', 'true')
  await every.fill('45')
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(page).toHaveURL(/modify\?id=/)
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  await expect(every).toHaveValue('45')
  await expect(page.getByText(/^GET · 1 header · status 200-299.* · quiet 22:00 to 06:30$/)).toBeVisible()
  await expect(page.getByText(/^Quiet (22:00 to 06:30\.|until )/)).toBeVisible()
  await advanced(page).click()
  await expect(page.getByLabel('Value 1', { exact: true })).toHaveValue('••••sees')
  await expect(page.getByLabel('Header 2', { exact: true })).toHaveCount(0)
  await page.getByLabel('Name', { exact: true }).fill('Kept')
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await expect(page.getByLabel('Value 1', { exact: true })).toHaveValue('••••sees')
  // A duplicate has the headers, but not their values.
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await expect(page.getByRole('heading', { name: 'Create' })).toBeVisible()
  await advanced(page).click()
  await expect(page.getByLabel('Header 1', { exact: true })).toHaveValue('apikey')
  await expect(page.getByLabel('Value 1', { exact: true })).toHaveValue('')
  await instance.remove(id)
})

test('an invalid advanced setting is unfolded with its error @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  await page.goto(create)
  await page.getByLabel('URL').fill(instance.target.url('/requests'))
  await advanced(page).click()
  await page.getByLabel('Expected codes').fill('fine')
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByLabel('Header 1', { exact: true }).fill('Host')
  await page.getByLabel('Value 1', { exact: true }).fill('example.com')
  await page.getByLabel('Must contain').fill('Hello')
  await page.getByRole('switch', { name: 'Quiet hours' }).click()
  const quietDays = page.getByRole('group', { name: 'Beginning on' })
  await expect(quietDays.getByRole('checkbox')).toHaveCount(7)
  for (const day of await quietDays.getByRole('checkbox').all()) await day.uncheck()
  await advanced(page).click()
  await page.keyboard.press('Control+s')
  await expect(page.getByLabel('Expected codes')).toHaveAccessibleDescription('Enter statuses such as 200-399,401.')
  await expect(quietDays).toHaveAccessibleDescription('Choose at least one day.')
  await expect(page.getByLabel('To', { exact: true })).not.toHaveAttribute('aria-invalid')
  await expect(page.getByText("The header Host can't be set.")).toBeVisible()
  await page.getByLabel('Expected codes').fill('200')
  await page.getByLabel('Header 1', { exact: true }).fill('X-Key')
  await page.getByRole('switch', { name: 'Quiet hours' }).click()
  await page.getByText('HEAD', { exact: true }).click()
  await page.keyboard.press('Control+s')
  await expect(page.getByLabel('Must contain')).toHaveAccessibleDescription(/^A response to HEAD has no text/)
  await page.getByText('GET', { exact: true }).click()
  await page.getByLabel('Must contain').fill('')
  await page.keyboard.press('Control+s')
  await expect(page).toHaveURL(/modify\?id=/)
  await instance.remove(new URL(page.url()).searchParams.get('id') ?? '')
})
