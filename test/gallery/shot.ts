import type { Page, Route } from '@playwright/test'
import type { Scene } from './scene.ts'

/** One screen in one state. */
export type Shot = {
  name: string
  /** Whose browser it is; nobody's when left out. */
  as?: keyof Scene['sessions']
  path: (scene: Scene) => string
  /** What is to be read before the picture is taken. */
  shows: string
  /** How the server shall answer otherwise than it does. */
  before?: (page: Page) => Promise<unknown>
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>
  /** Only what is in sight, for what floats above the page. */
  window?: true
  only?: 'phone' | 'desktop'
}

/** A screen under this name, in the browser of one of the scene or of nobody, at this address, and what is to be read there. */
export function shot(
  name: string,
  as: keyof Scene['sessions'] | 'nobody',
  path: string | ((scene: Scene) => string),
  shows: string,
  more: Omit<Shot, 'name' | 'as' | 'path' | 'shows'> = {},
): Shot {
  const pathIn = typeof path === 'string' ? () => path : path
  return { name, ...(as !== 'nobody' && { as }), path: pathIn, shows, ...more }
}
export const instead = (path: string | RegExp, answer: (route: Route) => Promise<unknown>) => (page: Page) =>
  page.route(path, answer)
/** What the server answers, with other values in some of its fields. */
export const but = (path: string, fields: object) =>
  instead(path, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...fields } })
  })
const grace = { changedBy: 'Grace Hopper', changedById: 'grace' }
/** Refuses a save because somebody changed these fields of the record a minute ago. */
export const editedMeanwhile =
  (path: string, fields: object, by: object = grace) =>
  async (page: Page) => {
    let known: object = {}
    await page.route(`**${path}*`, async (route) => {
      const isSave = route.request().method() === 'PATCH'
      if (!isSave) {
        const response = await route.fetch()
        known = await response.json()
        return route.fulfill({ response })
      }
      const changedAt = Date.now() - 60_000
      const current = { ...known, ...fields, ...by, updatedAt: changedAt, changedAt }
      return route.fulfill({
        status: 409,
        json: { error: 'Grace Hopper changed this entry in the meantime.', current },
      })
    })
  }
export const never = () => new Promise(() => {})
export const broken = (route: Route) => route.fulfill({ status: 500, json: { error: 'Something went wrong.' } })
export const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
export const hover = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).hover()
