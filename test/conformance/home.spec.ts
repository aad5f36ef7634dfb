import { expect, test } from '../support/page/kit.ts'

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
  await holds('The words sign in lead to the sign-in page.', async () => {
    await main.getByRole('link', { name: 'sign in', exact: true }).click()
    await expect(page).toHaveURL('/auth/signin')
  })
})

test.describe('signed in', () => {
  test.use({ visitor: 'ada' })
  test('For whoever is signed in', async ({ page, house, holds }) => {
    const id = await house.entry('/lately')
    await expect.poll(() => house.target.visits('/lately')).toBeGreaterThan(0)
    await page.goto('/')
    const main = page.getByRole('main')
    await holds('The title is the same.', async () => {
      await expect(page).toHaveTitle('ToolBox - Home')
    })
    await holds('It reads Welcome and the name of the user, and does not ask to sign in.', async () => {
      await expect(main.getByRole('heading', { name: 'Welcome ada', exact: true })).toBeVisible()
      await expect(main.getByRole('link', { name: 'sign in' })).toHaveCount(0)
    })
    await holds('Each tool has a card, which tells what it has to do.', async () => {
      const card = (name: string) =>
        main.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: name })
      await expect(card('Analytics Badge')).toContainText(/\d views? today/)
      await expect(card('Keep Alive')).toContainText(/[1-9]\d* (up|new)/)
      for (const name of ['Heroku Discord Webhook', 'GitHub Media Invalidator'])
        await expect(card(name)).toContainText(/No entries yet|\d (fresh|delivering|new|paused)/)
    })
    await holds('Admins see below them what a new server still needs, until it is done or dismissed.', async () => {
      const firstSteps = main.getByRole('region', { name: 'First steps' })
      await firstSteps.getByText('First steps').click()
      const steps = firstSteps.getByRole('listitem')
      await expect(steps.filter({ hasText: 'Done: Create the first entry' })).toBeVisible()
    })
    await holds('Below them stand the latest runs, each with the way to its entry.', async () => {
      const run = main.getByRole('region', { name: 'Recent runs' }).getByRole('listitem').filter({ hasText: '/lately' })
      await expect(run).toContainText('SUCCESS')
      await expect(run).toContainText('Keep Alive')
      await expect(run.getByRole('link')).toHaveAttribute('href', `/tools/keepalive/modify?id=${id}`)
    })
    await holds('The name leads to the profile.', async () => {
      await main.getByRole('link', { name: 'ada', exact: true }).click()
      await expect(page).toHaveURL('/user')
    })
    await house.remove(id)
  })
})

test.describe('without access', () => {
  test.use({ visitor: 'grace' })
  test('For whoever may not use the tools', async ({ page, holds }) => {
    await page.goto('/')
    const main = page.getByRole('main')
    await holds("It reads: You don't have access to the tools yet.", async () => {
      await expect(main.getByText("You don't have access to the tools yet.")).toBeVisible()
    })
    await holds('Each tool that needs it has a lock on its card, and still leads to the tool.', async () => {
      const cards = main.getByRole('list', { name: 'Tools' }).getByRole('listitem')
      for (const name of ['Keep Alive', 'GitHub Media Invalidator', 'Heroku Discord Webhook'])
        await expect(cards.filter({ hasText: name })).toContainText('No access')
      await expect(cards.filter({ hasText: 'Analytics Badge' })).not.toContainText('No access')
      await expect(cards.getByRole('link')).toHaveCount(4)
    })
    await holds('The profile leads there.', async () => {
      await page.goto('/user')
      await main.getByRole('link', { name: 'Ask an admin for access.' }).click()
      await expect(page).toHaveURL('/')
    })
    await holds('Request access asks for an optional message, and Cancel sends none.', async () => {
      await main.getByRole('button', { name: 'Request access' }).click()
      const dialog = page.getByRole('dialog', { name: 'Request access' })
      await expect(dialog.getByLabel('Message (optional)')).toBeVisible()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(dialog).toHaveCount(0)
      await expect(main.getByRole('button', { name: 'Request access' })).toBeVisible()
    })
  })
})
