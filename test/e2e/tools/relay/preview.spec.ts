import type { Page } from '@playwright/test'
import { barriers } from '../../../support/page/barriers.ts'
import { expect, go, toasts } from '../../../support/page/kit.ts'
import { deliverEvent as deliver, preview, rows, test, tool } from '../../../support/page/relay.ts'
import { deployEvents } from '../../../support/scenes/relay/deploy-events.ts'

test.use({ visitor: 'ada' })

async function show(page: Page, example: string) {
  await preview(page).getByLabel('Preview of', { exact: true }).click()
  await preview(page).getByLabel('Preview of', { exact: true }).fill(example)
  await page.getByRole('option', { name: example, exact: true }).click()
}

test('a new entry shows what messages will look like, as filter, actor and role stand in the form', async ({
  page,
}) => {
  await page.clock.install({ time: new Date(2026, 10, 21, 15, 4, 5) })
  await page.goto(`${tool}/create`)
  await test.step('it arrives now', async () => {
    await expect(preview(page).getByRole('time').first()).toHaveText(/^3:04/)
    await page.clock.fastForward('10:00')
    await expect(preview(page).getByRole('time').first()).toHaveText(/^3:14/)
  })
  await expect(preview(page)).toContainText('lantern-api: build started')
  await expect(preview(page)).toContainText('This event will be posted.')

  await show(page, 'Dyno crashed')
  await expect(preview(page).getByRole('link', { name: 'lantern-api: web.1 crashed' })).toHaveAttribute(
    'href',
    'https://dashboard.heroku.com/apps/lantern-api',
  )
  await page.getByText('Deploys', { exact: true }).click()
  await expect(preview(page)).toContainText('This event will be filtered out: the filter only allows deploys.')
  await page.getByText('Deploys and crashes', { exact: true }).click()
  await expect(preview(page)).toContainText('This event will be posted.')

  await expect(preview(page)).not.toContainText('@role')
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByLabel('Role to mention on failures').fill('1234567890')
  await expect(preview(page)).toContainText('Fix the errors above to see the preview.')
  await page.getByLabel('Role to mention on failures').fill('123456789012345678')
  await expect(preview(page)).toContainText('@role')

  await show(page, 'Build failed')
  await expect(preview(page)).not.toContainText('ada@lantern.example')
  await page.getByRole('switch', { name: "Show author's email" }).click()
  await expect(preview(page)).toContainText('ada@lantern.example')
  await page.getByRole('button', { name: 'Reset' }).click()
})

test('a deploy is one card if the entry says so, which the preview shows as far as it goes @release', async ({
  page,
  entry,
  discord,
  hook,
}) => {
  await page.goto(`${tool}/create`)
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByRole('switch', { name: 'One message per deploy' }).check()
  await expect(preview(page)).toContainText('This event edits the card of its deploy.')
  await expect(preview(page)).toContainText('(edited)')
  expect.soft(await barriers(page)).toEqual([])
  await expect(preview(page)).toContainText('v42 ✅ 42 s')
  await show(page, 'Build started')
  await expect(preview(page)).toContainText('This event begins the card of its deploy.')
  await expect(preview(page)).not.toContainText('(edited)')
  await show(page, 'Build failed')
  await expect(preview(page)).toContainText('is also posted like this, since edits notify nobody')
  await page.getByRole('button', { name: 'Reset' }).click()

  await go(page, `${tool}/modify?id=${entry.id}`)
  await test.step('messages of an inactive entry are left out, which the preview says', async () => {
    await expect(preview(page)).toContainText('This event will be posted.')
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    await expect(preview(page)).toContainText('This event will be filtered out: the entry is inactive.')
    await page.getByRole('switch', { name: 'Active' }).check()
  })
  await page.getByRole('button', { name: 'Message options' }).click()
  await page.getByRole('switch', { name: 'One message per deploy' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  const deploy = deployEvents()
  for (const event of [deploy.buildPending, deploy.buildSucceeded, deploy.releaseSucceeded]) await deliver(entry, event)
  await expect(rows(page)).toHaveText([/SUCCESS.*card edited/, /SUCCESS.*card edited/, /SUCCESS.*answered 200/])
  await expect(preview(page)).toContainText('v42 ✅ 42 s')
  expect(discord.shown(hook).map(({ edits }) => edits)).toEqual([2])
})
