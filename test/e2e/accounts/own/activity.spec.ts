import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, test } from '../../../support/page/kit.ts'
import { password } from '../../../support/people.ts'

test('users see their recent activity, and who tried their password from where', async ({ page, context, house }) => {
  await house.person('watchful')
  const signIn = (secret: string) =>
    context.request.post(`${house.url}/api/auth/sign-in/username`, { data: { username: 'watchful', password: secret } })
  expect((await signIn('not my password')).status()).toBe(401)
  expect((await signIn(password)).status()).toBe(200)
  await page.goto('/user/security')
  const activity = page.getByRole('region', { name: 'Recent Activity' })
  const rows = activity.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(0)).toContainText('Signed in')
  await expect(rows.nth(0)).toContainText('With: password')
  await expect(rows.nth(1)).toContainText('Failed sign-in')
  await expect(rows.nth(1)).toContainText('Wrong password: once')
  await expect(rows.nth(1)).toContainText(/Chrome on Linux.*(127\.0\.0\.1|::1)/)
  await expect(rows.nth(2)).toContainText('Created userBy an admin')
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, '/user/security')
})
