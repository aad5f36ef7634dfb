import type { Page } from '@playwright/test'
import { signatureOf } from '../../../src/tools/herokudiscordwebhook/hook.ts'
import type { FakeDiscord, FakeHook } from '../fakes/fake-discord.ts'
import { release } from '../scenes/relay/relay.ts'
import type { Instance } from './instance.ts'
import { test as base, expect } from './kit.ts'

export const tool = '/tools/herokudiscordwebhook'
export const api = '/api/v1/herokudiscordwebhook'
export type Entry = { id: string; herokuEndpoint: string; secret: string; discordHook: string }

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
export const idOf = (page: Page) => new URL(page.url()).searchParams.get('id') ?? ''

export async function createRelay(instance: Instance, hook: FakeHook, more: object = {}): Promise<Entry> {
  const { status, body } = await instance.call<Entry>('POST', `${api}/`, { discordHook: hook.url, ...more })
  expect(status).toBe(201)
  return body
}
export const read = async (instance: Instance, id: string) =>
  (await instance.call<Entry>('GET', `${api}?id=${id}`)).body

/** Posts a signed event as Heroku does; returns the status. */
export async function post({ herokuEndpoint, secret }: Pick<Entry, 'herokuEndpoint' | 'secret'>, event: object) {
  const body = JSON.stringify(event)
  const signature = signatureOf(secret, Buffer.from(body))
  const headers = { 'content-type': 'application/json', 'heroku-webhook-hmac-sha256': signature }
  return (await fetch(herokuEndpoint, { method: 'POST', body, headers })).status
}
export const deliver = (entry: Parameters<typeof post>[0], version: number) => post(entry, release(version))

export const unfold = (page: Page, title: string) => page.getByRole('button', { name: title }).click()

export const test = base.extend<{ discord: FakeDiscord; hook: FakeHook; entry: Entry }>({
  discord: async ({ instance }, use) => {
    await use(instance.discord)
    instance.discord.resetHanging()
  },
  hook: ({ discord }, use) => use(discord.webhook()),
  entry: async ({ instance, hook }, use) => use(await createRelay(instance, hook)),
})

export const deliverEvent = async (entry: Entry, event: object) => expect(await post(entry, event)).toBe(204)
export const log = (page: Page) => page.getByRole('region', { name: 'Run History' })
export const rows = (page: Page) => log(page).getByRole('list', { name: 'Runs' }).locator('> li')
export const showKind = (page: Page, kind: string) =>
  log(page).getByRole('group', { name: 'Show events' }).getByRole('button', { name: kind }).click()
export const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
