import { fakeWeb } from '../support/fakes/fake-web.ts'
import { expect } from '../support/page/kit.ts'
import { admin } from '../support/process.ts'
import { test } from './statements.ts'

const hour = 3_600_000
type Entry = { id: string; createdAt: number; nextRunAt: number; lastRun: object | null }

test('The token against forged calls', async ({ page, context, holds }) => {
  const call = '/api/auth/sign-out'
  const jar = async () => new Map((await context.cookies()).map((cookie) => [cookie.name, cookie]))
  const key = '/api/v1/user/apikeys?id=any'

  await holds('A page brings the cookie XSRF-TOKEN, which scripts may read.', async () => {
    await page.goto('/auth/signin/user')
    expect((await jar()).get('XSRF-TOKEN')).toMatchObject({ httpOnly: false, path: '/', sameSite: 'Lax' })
  })
  await holds('The very first change after signing in works: the new token is there.', async () => {
    await page.getByLabel('Username').fill(admin.username)
    await page.getByLabel('Password').fill(admin.password)
    const before = (await jar()).get('XSRF-TOKEN')?.value
    await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
    await expect(page).toHaveURL('/')
    const token = (await jar()).get('XSRF-TOKEN')?.value ?? ''
    expect(token).not.toBe(before)
    expect((await context.request.delete(key, { headers: { 'X-XSRF-TOKEN': token } })).status()).toBe(404)
  })
  await holds('A change without the header X-XSRF-TOKEN, or with a wrong one, answers 403.', async () => {
    expect((await context.request.delete(key)).status()).toBe(403)
    expect((await context.request.delete(key, { headers: { 'X-XSRF-TOKEN': 'wrong' } })).status()).toBe(403)
  })
  await holds('The page sends the cookie back as that header by itself.', async () => {
    await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
    const token = (await jar()).get('XSRF-TOKEN')?.value
    const [sent] = await Promise.all([
      page.waitForRequest(`**${call}`),
      page.getByRole('menuitem', { name: 'Sign out' }).click(),
    ])
    expect(sent.headers()['x-xsrf-token']).toBe(token)
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
  })
})

test('How often', async ({ house, holds }) => {
  const web = await fakeWeb()
  const made = async (path: string, url: string) => (await house.call<Entry>('POST', `${path}/`, { url })).body
  const ran = async (path: string, { id }: Entry) => {
    const now = async () => (await house.call<Entry>('GET', `${path}?id=${id}`)).body
    await expect.poll(async () => (await now()).lastRun).not.toBeNull()
    return now()
  }
  await holds('A keep-alive entry sends a GET to its URL at once, and every 28 minutes from then on.', async () => {
    const path = '/api/v1/keepalive'
    const entry = await ran(path, await made(path, `${web.origin}/status/204`))
    expect(web.visits.map((visit) => `${visit.method} ${visit.path}`)).toEqual(['GET /status/204'])
    expect(entry.nextRunAt - entry.createdAt).toBe((28 / 60) * hour)
    await house.call('DELETE', `${path}?id=${entry.id}`)
  })
  await holds('A cache invalidator entry runs at once, and every 12 hours from then on.', async () => {
    const path = '/api/v1/ghmdinvalidator'
    const entry = await ran(path, await made(path, house.github.page('/how/often', [])))
    expect(entry.nextRunAt - entry.createdAt).toBe(12 * hour)
    await house.call('DELETE', `${path}?id=${entry.id}`)
  })
  await web.close()
})
