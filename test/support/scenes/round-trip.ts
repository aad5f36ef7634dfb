import type { Dialect } from '../database/databases.ts'
import { type FakePerson, type FakeProvider, startFakeDiscord, startFakeGithub } from '../fakes/fake-providers.ts'
import { browser } from '../people.ts'
import { type Overrides, toolbox } from '../toolbox.ts'

export type Screen = ReturnType<typeof browser>
type Begin = { provider: string; callbackURL?: string; prove?: boolean }

export const refusalPath = '/auth/error?error=AccessDenied'
export const labelOf = ({ id }: FakeProvider): string =>
  ({ '001_Discord': 'Discord', '002_Github': 'GitHub' })[id] ?? 'OpenID'

/** ToolBox with fake Discord and GitHub sign-in. Its clock starts at the real time, which Better Auth uses. */
export async function boxWithProviders(
  dialect: Dialect,
  env: Record<string, string> = {},
  timeout = 10_000,
  outside: Overrides = {},
) {
  const [discord, github] = [await startFakeDiscord(), await startFakeGithub()]
  const box = await toolbox(dialect, { ...discord.env, ...github.env, ...env }, { timeout }, outside)
  box.pass(Date.now() - box.now())
  let people = 0
  let visitors = 0
  const visitor = (cookies: Record<string, string> = {}): Screen => {
    visitors += 1
    return browser(box.app, `198.51.${visitors >> 8}.${visitors & 255}`, cookies)
  }
  const somebody = (): FakePerson & { email: string } => {
    people += 1
    return { id: `${1_000 + people}`, username: `octo${people}`, email: `octo${people}@example.com`, verified: true }
  }
  return {
    box,
    discord,
    github,
    fakes: [discord, github] as const,
    /** A browser with a unique address, so that tests don't hit limits per address. */
    visitor,
    somebody,
    /** Signs a person in at a provider, in a new browser; `user` is null if the sign-in was refused or is halfway. */
    async enter(fake: FakeProvider, person = somebody(), screen = visitor()) {
      fake.person(person)
      const ending = await signInAt(screen, fake.id)
      const { user } = (await screen.get('/api/v1/auth/session')).body
      return { ...ending, person, screen, user }
    },
    linksOf: (accountId: string) =>
      box.db.q.selectFrom('provider_links').selectAll().where('account_id', '=', accountId).execute(),
    close: async () => {
      await box.close()
      await discord.close()
      await github.close()
    },
  }
}
export type BoxWithProviders = Awaited<ReturnType<typeof boxWithProviders>>

/** Starts to sign in or to link at a provider; returns the path and query that it redirects back to. */
export async function startAtProvider(
  screen: Screen,
  begin: Begin,
  by: 'sign-in/social' | 'link-social' = 'sign-in/social',
) {
  const { status, body } = await screen.post(`/api/auth/${by}`, begin)
  if (status !== 200) throw new Error(`${by} answered ${status}: ${JSON.stringify(body)}`)
  const answer = await fetch(body.url, { redirect: 'manual' })
  const back = URL.parse(answer.headers.get('location') ?? '')
  if (!back) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
  return back.pathname + back.search
}

/** Follows the redirect back from the provider; returns the final location and the error shown, if any. */
export async function returnFromProvider(screen: Screen, back: string) {
  screen.jar.delete('toolbox.refusal')
  const { status, headers } = await screen.get(back)
  return { status, to: headers.location, error: screen.jar.get('toolbox.refusal') }
}

export const signInAt = async (screen: Screen, provider: string, callbackURL = '/') =>
  returnFromProvider(screen, await startAtProvider(screen, { provider, callbackURL }))

export const linkAt = async (screen: Screen, provider: string, callbackURL = '/user') =>
  returnFromProvider(screen, await startAtProvider(screen, { provider, callbackURL }, 'link-social'))
