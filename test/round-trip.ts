import type { browser } from './people.ts'

type Screen = ReturnType<typeof browser>
type Begin = { provider: string; callbackURL?: string }

/** Where the provider sends a browser back to that begins to sign in, or to link: path and query. */
export async function goThere(screen: Screen, begin: Begin, by: 'sign-in/social' | 'link-social' = 'sign-in/social') {
  const { status, body } = await screen.post(`/api/auth/${by}`, begin)
  if (status !== 200) throw new Error(`${by} answered ${status}: ${JSON.stringify(body)}`)
  const answer = await fetch(body.url, { redirect: 'manual' })
  const back = URL.parse(answer.headers.get('location') ?? '')
  if (!back) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
  return back.pathname + back.search
}

/** Comes back from the provider; answers where the browser ends and what it is told. */
export async function comeBack(screen: Screen, back: string) {
  screen.jar.delete('toolbox.refusal')
  const { status, headers } = await screen.get(back)
  return { status, to: headers.location, told: screen.jar.get('toolbox.refusal') }
}

/** Signs in at a provider and comes back. */
export const signInAt = async (screen: Screen, provider: string, callbackURL = '/') =>
  comeBack(screen, await goThere(screen, { provider, callbackURL }))

/** Links a provider while signed in. */
export const linkAt = async (screen: Screen, provider: string, callbackURL = '/user') =>
  comeBack(screen, await goThere(screen, { provider, callbackURL }, 'link-social'))

export const refusedTo = '/auth/error?error=AccessDenied'
