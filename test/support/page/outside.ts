import type { Page } from '@playwright/test'
import { type FakeOpenId, startFakeOpenId } from '../fakes/fake-openid.ts'
import { type FakePerson, type FakeProvider, startFakeDiscord, startFakeGithub } from '../fakes/fake-providers.ts'
import { test as base } from './kit.ts'

type Outside = { github: FakeProvider; discord: FakeProvider; openid: FakeOpenId }

/** ToolBox with fake sign-in providers: GitHub, Discord and OpenID. */
export const test = base.extend<{ fakeProviders: Outside }>({
  fakeProviders: async ({ openOnce }, use) =>
    use(
      await openOnce('outside', async () => {
        const [github, discord, openid] = await Promise.all([startFakeGithub(), startFakeDiscord(), startFakeOpenId()])
        return {
          it: { github, discord, openid },
          close: () => Promise.all([github.close(), discord.close(), openid.close()]),
        }
      }),
    ),
  instance: async ({ instanceFor, fakeProviders: { github, discord, openid } }, use) =>
    use(await instanceFor('with providers', { ...github.env, ...discord.env, ...openid.env })),
})
test.beforeEach(({ fakeProviders }) => {
  fakeProviders.github.mode('works')
  fakeProviders.discord.mode('works')
  fakeProviders.openid.mode('works')
})

let count = 583_000
/** A person who has never signed in to ToolBox. */
export function stranger(username: string): FakePerson {
  count++
  return { id: String(count), username, name: null, email: `${username}@example.com`, verified: true }
}

/** Signs this browser out, after leaving the page so that no screen makes calls as a user. */
export async function signOutBrowser(page: Page) {
  await page.goto('about:blank')
  await page.context().clearCookies()
}
