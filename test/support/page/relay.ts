import type { Page } from '@playwright/test'
import { signatureOf } from '../../../src/tools/herokudiscordwebhook/hook.ts'
import type { FakeDiscord, FakeHook } from '../fakes/fake-discord.ts'
import { release } from '../scenes/relay/relay.ts'
import type { House } from './house.ts'
import { test as base, expect } from './kit.ts'

export const tool = '/tools/herokudiscordwebhook'
export const api = '/api/v1/herokudiscordwebhook'
export type Entry = { id: string; herokuEndpoint: string; secret: string; discordHook: string }

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
/** The id of the entry on screen. */
export const idOf = (page: Page) => new URL(page.url()).searchParams.get('id') ?? ''

/** A new entry that leads to this webhook. */
export async function saved(house: House, hook: FakeHook, more: object = {}): Promise<Entry> {
  const { status, body } = await house.call<Entry>('POST', `${api}/`, { discordHook: hook.url, ...more })
  expect(status).toBe(201)
  return body
}
export const read = async (house: House, id: string) => (await house.call<Entry>('GET', `${api}?id=${id}`)).body

/** Once nobody looks at it any more: a page that is open would ask for it in vain. */
export async function remove(page: Page, house: House, id: string) {
  await page.goto('about:blank')
  await house.call('DELETE', `${api}?id=${id}`)
}

/** What Heroku does: posts an event, signed; answers the status it gets. */
export async function post({ herokuEndpoint, secret }: Pick<Entry, 'herokuEndpoint' | 'secret'>, event: object) {
  const body = JSON.stringify(event)
  const signature = signatureOf(secret, Buffer.from(body))
  const headers = { 'content-type': 'application/json', 'heroku-webhook-hmac-sha256': signature }
  return (await fetch(herokuEndpoint, { method: 'POST', body, headers })).status
}
/** The same when a release of this version is out. */
export const deliver = (entry: Parameters<typeof post>[0], version: number) => post(entry, release(version))

/** Opens a folded part of the form. */
export const unfold = (page: Page, title: string) => page.getByRole('button', { name: title }).click()

/** An entry of the relay, its webhook and its Discord. */
export const test = base.extend<{ discord: FakeDiscord; hook: FakeHook; entry: Entry }>({
  discord: async ({ house }, use) => {
    await use(house.discord)
    house.discord.letGo()
  },
  hook: ({ discord }, use) => use(discord.webhook()),
  /** An entry that relays everything to a webhook of its own. */
  entry: async ({ house, hook }, use) => use(await saved(house, hook)),
})

export const deliverEvent = async (entry: Entry, event: object) => expect(await post(entry, event)).toBe(204)
export const log = (page: Page) => page.getByRole('region', { name: 'Run History' })
export const rows = (page: Page) => log(page).getByRole('list', { name: 'Runs' }).locator('> li')
/** Shows events of this kind instead of the runs, or the runs again. */
export const showKind = (page: Page, kind: string) =>
  log(page).getByRole('group', { name: 'Show events' }).getByRole('button', { name: kind }).click()
export const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
