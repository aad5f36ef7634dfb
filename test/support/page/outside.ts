import type { Page } from '@playwright/test'
import { type FakePerson, type FakeProvider, startFakeDiscord, startFakeGithub } from '../fakes/fake-providers.ts'
import { openHouse } from './house.ts'
import { test as base } from './kit.ts'

type Outside = { github: FakeProvider; discord: FakeProvider }

/** ToolBox beside a GitHub and a Discord of its own. */
export const test = base.extend<object, { outside: Outside }>({
  outside: [
    // biome-ignore lint/correctness/noEmptyPattern: what a fixture needs is read from its pattern
    async ({}, use) => {
      const outside = { github: await startFakeGithub(), discord: await startFakeDiscord() }
      await use(outside)
      await Promise.all([outside.github.close(), outside.discord.close()])
    },
    { scope: 'worker' },
  ],
  house: [
    async ({ playwright, outside: { github, discord } }, use) => {
      const house = await openHouse(playwright.request, { ...github.env, ...discord.env })
      await use(house)
      await house.close()
    },
    { scope: 'worker' },
  ],
})
test.beforeEach(({ outside }) => {
  outside.github.mode('works')
  outside.discord.mode('works')
})

let count = 583_000
/** Somebody nobody here has seen yet. */
export function stranger(username: string): FakePerson {
  count++
  return { id: String(count), username, name: null, email: `${username}@example.com`, verified: true }
}

/** Makes a visitor of this browser again, when no screen is there any more that would ask as somebody. */
export async function forget(page: Page) {
  await page.goto('about:blank')
  await page.context().clearCookies()
}
