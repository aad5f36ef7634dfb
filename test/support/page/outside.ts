import type { Page } from '@playwright/test'
import { type FakeOpenId, startFakeOpenId } from '../fakes/fake-openid.ts'
import { type FakePerson, type FakeProvider, startFakeDiscord, startFakeGithub } from '../fakes/fake-providers.ts'
import { test as base } from './kit.ts'

type Outside = { github: FakeProvider; discord: FakeProvider; openid: FakeOpenId }

/** ToolBox beside a GitHub, a Discord and an OpenID provider of its own. */
export const test = base.extend<{ outside: Outside }>({
  outside: async ({ kept }, use) =>
    use(
      await kept('outside', async () => {
        const [github, discord, openid] = await Promise.all([startFakeGithub(), startFakeDiscord(), startFakeOpenId()])
        return {
          it: { github, discord, openid },
          close: () => Promise.all([github.close(), discord.close(), openid.close()]),
        }
      }),
    ),
  house: async ({ houseOf, outside: { github, discord, openid } }, use) =>
    use(await houseOf('with providers', { ...github.env, ...discord.env, ...openid.env })),
})
test.beforeEach(({ outside }) => {
  outside.github.mode('works')
  outside.discord.mode('works')
  outside.openid.mode('works')
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
