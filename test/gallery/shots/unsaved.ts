import type { Page } from '@playwright/test'
import type { Scene } from '../scene.ts'
import { changeJson, editedMeanwhile, fill, inTurn, mockJson, press, type Shot, seeText } from '../shot.ts'

const session = '/api/v1/auth/session'
const create = { as: 'ada', path: () => '/tools/keepalive/create', shows: 'Interval', window: true } as const

const edit = fill('URL', 'https://shop.example.com/health')
const save = inTurn(edit, press('Save'))
const later = inTurn(press('Not now'), seeText('Sign in to save'))
/** Fills in the form, then makes the server report this user as signed in, or none, and saves. */
const become = (change: (user: object) => object | null, shows: string) =>
  inTurn(
    edit,
    changeJson(session, ({ user }: { user: object }) => ({ user: change(user) })),
    mockJson('/api/v1/keepalive/', { error: 'Not allowed.' }, 403),
    press('Save'),
    seeText(shows),
  )
const signedOut = become(() => null, 'signed out')

const entry = '/api/v1/keepalive'
const modify = {
  as: 'ada',
  path: ({ entries }: Scene) => `/tools/keepalive/modify?id=${entries.whole}`,
  shows: 'SUCCESS',
  window: true,
} as const

/** Saves an entry that another user has edited meanwhile, and chooses to keep editing. */
const keepEditing = inTurn(save, press('Keep editing'), (page) => page.getByRole('dialog').waitFor({ state: 'hidden' }))
/** Makes the conflicting edit appear to come from the signed-in user. */
async function byThemselves(page: Page) {
  const { user } = await (await page.request.get(session)).json()
  await editedMeanwhile(entry, { interval: 5 }, { changedBy: user.name, changedById: user.id })(page)
}

/** Forms with changes that the current user cannot save. */
export const unsavedShots: readonly Shot[] = [
  { ...create, name: 'unsaved-signed-out', act: signedOut },
  { ...create, name: 'unsaved-later', act: inTurn(signedOut, later) },
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
    act: inTurn(mockJson(entry, { error: 'Not found.' }, 404), save, seeText('was deleted')),
  },
  {
    ...modify,
    name: 'unsaved-stacked',
    before: editedMeanwhile(entry, { interval: 5 }),
    act: inTurn(keepEditing, mockJson(entry, { error: 'Sign in first.' }, 401), signedOut, later),
  },
]
