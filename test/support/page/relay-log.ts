import type { Page } from '@playwright/test'
import type { FakeDiscord, FakeHook } from '../fakes/fake-discord.ts'
import { test as base, expect } from './kit.ts'
import { type Entry, post, remove, saved } from './relay.ts'

/** An entry of the relay, its webhook and its Discord. */
export const test = base.extend<{ discord: FakeDiscord; hook: FakeHook; entry: Entry }>({
  discord: async ({ house }, use) => {
    await use(house.discord)
    house.discord.letGo()
  },
  hook: ({ discord }, use) => use(discord.webhook()),
  /** An entry that relays everything to a webhook of its own. */
  entry: async ({ page, house, hook }, use) => {
    const entry = await saved(house, hook)
    await use(entry)
    await remove(page, house, entry.id)
  },
})

export const deliver = async (entry: Entry, event: object) => expect(await post(entry, event)).toBe(204)
export const log = (page: Page) => page.getByRole('region', { name: 'Run History' })
export const rows = (page: Page) => log(page).getByRole('list', { name: 'Runs' }).locator('> li')
/** Shows events of this kind instead of the runs, or the runs again. */
export const showKind = (page: Page, kind: string) =>
  log(page).getByRole('group', { name: 'Show events' }).getByRole('button', { name: kind }).click()
export const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
