import { expect } from '../kit.ts'
import { test } from './statements.ts'

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
  test('For whoever is signed in', async ({ page, holds }) => {
    await page.goto('/')
    const main = page.getByRole('main')
    await holds('The title is the same.', async () => {
      await expect(page).toHaveTitle('ToolBox - Home')
    })
    await holds('It reads Welcome and the name of the user, and does not ask to sign in.', async () => {
      await expect(main.getByRole('heading', { name: 'Welcome ada', exact: true })).toBeVisible()
      await expect(main.getByRole('link', { name: 'sign in' })).toHaveCount(0)
    })
    await holds('The name leads to the profile.', async () => {
      await main.getByRole('link', { name: 'ada', exact: true }).click()
      await expect(page).toHaveURL('/user')
    })
  })
})
