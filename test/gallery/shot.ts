import type { Page, Route } from '@playwright/test'
import type { Scene } from './scene.ts'

type Act = (page: Page) => Promise<unknown>
export type Shot = {
  name: string
  as?: keyof Scene['sessions']
  path: (scene: Scene) => string
  shows: string
  before?: Act
  act?: Act
  /** Captures only the viewport, for parts that float above the page. */
  window?: true
  only?: 'phone' | 'desktop'
}

/** Defines a screenshot: its name, its user (or `nobody`), its path, and a text that the page shows. */
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
export const mockRoute = (path: string | RegExp, answer: (route: Route) => Promise<unknown>) => (page: Page) =>
  page.route(path, answer)
export const mockJson = (path: string | RegExp, json: unknown, status = 200) =>
  mockRoute(path, (route) => route.fulfill({ status, json }))
/** Changes the server's response. */
export const changeJson = <Body>(path: string, change: (body: Body) => object) =>
  mockRoute(path, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change(await response.json()) })
  })
/** Replaces some fields of the server's response. */
export const overrideFields = (path: string, fields: object) =>
  changeJson(path, (body: object) => ({ ...body, ...fields }))
const grace = { changedBy: 'Grace Hopper', changedById: 'grace' }
/** Refuses a save as if another user had changed these fields of the record a minute ago. */
export const editedMeanwhile =
  (path: string, fields: object, by: object = grace): Act =>
  async (page) => {
    let loaded: object = {}
    await page.route(`**${path}*`, async (route) => {
      const isSave = route.request().method() === 'PATCH'
      if (!isSave) {
        const response = await route.fetch()
        loaded = await response.json()
        return route.fulfill({ response })
      }
      const changedAt = Date.now() - 60_000
      const current = { ...loaded, ...fields, ...by, updatedAt: changedAt, changedAt }
      return route.fulfill({
        status: 409,
        json: { error: 'Grace Hopper changed this entry in the meantime.', current },
      })
    })
  }
export const never = () => new Promise(() => {})
export const broken = (route: Route) => route.fulfill({ status: 500, json: { error: 'Something went wrong.' } })

export const inTurn =
  (...acts: readonly Act[]): Act =>
  async (page) => {
    for (const act of acts) await act(page)
  }
export const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
export const hover = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).hover()
export const clickText = (text: string) => (page: Page) => page.getByText(text, { exact: true }).click()
export const fill = (label: string, text: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(text)
export const seeText = (text: string) => (page: Page) => page.getByText(text).first().waitFor()
/** Presses this button and waits for its dialog. */
export const openDialog = (name: string): Act => inTurn(press(name), (page) => page.getByRole('dialog').waitFor())
