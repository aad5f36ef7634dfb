import type { Page } from '@playwright/test'
import type { Scene } from '../scene.ts'
import { editedMeanwhile, type Shot } from '../shot.ts'

const session = '/api/v1/auth/session'
const create = { as: 'ada', path: () => '/tools/keepalive/create', shows: 'Interval', window: true } as const

/** Fills in the form, then makes the server report this user as signed in, or none, and saves. */
const become = (change: (user: object) => object | null, shows: string) => async (page: Page) => {
  await page.getByLabel('URL').fill('https://shop.example.com/health')
  await page.route(session, async (route) => {
    const response = await route.fetch()
    const { user } = (await response.json()) as { user: object }
    await route.fulfill({ response, json: { user: change(user) } })
  })
  await page.route('/api/v1/keepalive/', (route) => route.fulfill({ status: 403, json: { error: 'Not allowed.' } }))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(shows).first().waitFor()
}

const entry = '/api/v1/keepalive'
const modify = {
  as: 'ada',
  path: ({ entries }: Scene) => `/tools/keepalive/modify?id=${entries.whole}`,
  shows: 'SUCCESS',
  window: true,
} as const

async function save(page: Page) {
  await page.getByLabel('URL').fill('https://shop.example.com/health')
  await page.getByRole('button', { name: 'Save' }).click()
}
/** Saves an entry that another user has edited meanwhile, and chooses to keep editing. */
async function keepEditing(page: Page) {
  await save(page)
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}
/** Makes the conflicting edit appear to come from the signed-in user. */
async function byThemselves(page: Page) {
  const { user } = await (await page.request.get(session)).json()
  await editedMeanwhile(entry, { interval: 5 }, { changedBy: user.name, changedById: user.id })(page)
}

/** Forms with changes that the current user cannot save. */
export const unsavedShots: readonly Shot[] = [
  { ...create, name: 'unsaved-signed-out', act: become(() => null, 'signed out') },
  {
    ...create,
    name: 'unsaved-later',
    async act(page) {
      await become(() => null, 'signed out')(page)
      await page.getByRole('button', { name: 'Not now' }).click()
      await page.getByText('Sign in to save').waitFor()
    },
  },
  {
    ...create,
    name: 'unsaved-other-user',
    act: become((user) => ({ ...user, id: 'other', name: 'Grace Hopper' }), 'Switch back'),
  },
  {
    ...create,
    name: 'unsaved-no-role',
    act: become((user) => ({ ...user, roles: { Admin: 0, Tools: 0 } }), 'no longer has the role'),
  },
  { ...modify, name: 'unsaved-outdated', before: editedMeanwhile(entry, { interval: 5 }), act: keepEditing },
  { ...modify, name: 'unsaved-other-tab', before: byThemselves, act: keepEditing },
  {
    ...modify,
    name: 'unsaved-deleted',
    async act(page) {
      await page.route(entry, (route) => route.fulfill({ status: 404, json: { error: 'Not found.' } }))
      await save(page)
      await page.getByText('was deleted').first().waitFor()
    },
  },
  {
    ...modify,
    name: 'unsaved-stacked',
    before: editedMeanwhile(entry, { interval: 5 }),
    async act(page) {
      await keepEditing(page)
      await page.route(entry, (route) => route.fulfill({ status: 401, json: { error: 'Sign in first.' } }))
      await become(() => null, 'signed out')(page)
      await page.getByRole('button', { name: 'Not now' }).click()
      await page.getByText('Sign in to save').waitFor()
    },
  },
]
