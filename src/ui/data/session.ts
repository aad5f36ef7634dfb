import { type FetchQueryOptions, type QueryKey, queryOptions, useQuery } from '@tanstack/react-query'
import type { Roles, SessionUser } from '../../shared/user.ts'
import { readStorage, writeStorage } from '../browser-storage.ts'
import { closeToasts, notify } from '../toasts.ts'
import { api, CallCanceled, isCallCanceled, pauseCallsDuring, request, resumeCalls, setTokenGetter } from './api.ts'
import { authorId, hasUnsaved, useEditing } from './editing.ts'
import { hasFailed, queryClient } from './query.ts'

/** The XSRF token when the session was last requested. */
let knownToken = ''
/** Number of session requests so far; if some overlap, only the last response counts. */
let sessionRequestCount = 0
const tokenIn = (name: string) => new RegExp(`${name}=([^;]*)`).exec(document.cookie)?.[1]
/** Prefers this port's cookie, because another ToolBox on this host may have set the other. */
const currentToken = () => tokenIn(`XSRF-TOKEN-${location.port}`) ?? tokenIn('XSRF-TOKEN') ?? ''

let wasEverSignedIn = false
/** Whether a user has been signed in at any time since this page was loaded. */
export const wasSignedIn = (): boolean => wasEverSignedIn

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const token = currentToken()
    sessionRequestCount += 1
    const requestNumber = sessionRequestCount
    const { user } = await api.get<{ user: SessionUser | null }>('/api/v1/auth/session')
    // If another tab has signed in meanwhile, the call may have combined one user's session with the other's token.
    if (requestNumber === sessionRequestCount) knownToken = token === currentToken() ? token : ''
    wasEverSignedIn ||= user !== null
    return user
  },
  staleTime: 15_000,
})

/** Reloads the session, ignoring a pending response, which may predate a sign-in. Rejects if the call fails. */
export function fetchSession(): Promise<SessionUser | null> {
  void queryClient.cancelQueries({ queryKey: sessionQuery.queryKey }, { silent: true })
  return queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

/** The user who is signed in by now, as far as the cookies show. */
async function fetchCurrentUser(): Promise<SessionUser | null | undefined> {
  // A token that keeps changing proves nothing.
  for (let tries = 0; tries < 2 && currentToken() !== knownToken; tries += 1) await fetchSession()
  return queryClient.getQueryData(sessionQuery.queryKey)
}

/** Whether a call may sign a user in or out, and so isn't made as a particular user. */
const maySign = (url: string) => /\/auth\/(?:sign-|two-factor\/verify|setup|reset|invite)/.test(url)

/** How often this tab itself has tried to sign a user in or out. */
export let signInCount = 0

/** Keeps this tab from acting as a different user who has signed in through another tab. */
setTokenGetter(async (url) => {
  // Read before the check: a user who signs in as someone else during the check has to act again.
  const author = authorId() ?? queryClient.getQueryData(sessionQuery.queryKey)?.id
  if (maySign(url)) signInCount += 1
  if (maySign(url) || !author) return currentToken()
  const user = await fetchCurrentUser()
  if (user && user.id !== author) throw new CallCanceled(`You're signed in as ${user.name} now.`)
  return currentToken()
})

/** The signed-in user; null if there is none, undefined until it is loaded. */
export const useSessionUser = (): SessionUser | null | undefined => useQuery(sessionQuery).data

/** The user to whom the screen belongs: the signed-in user, otherwise the author of the unsaved changes on it. */
export function useScreenUser(): SessionUser | null | undefined {
  const user = useSessionUser()
  const { author } = useEditing()
  return user === null && author ? author : user
}

/** Whether the session is loaded for the first time; false from its first failure on, even during a retry. */
export function useSessionPending(): boolean {
  const session = useQuery(sessionQuery)
  return session.isPending && !hasFailed(session)
}

/** Prefetches data that requires a session, unless the user has signed out while the screen's code was loading. */
export async function prefetchForUser<Data, Key extends QueryKey>(query: FetchQueryOptions<Data, Error, Data, Key>) {
  if (queryClient.getQueryData(sessionQuery.queryKey) !== null) await queryClient.prefetchQuery(query)
}

/** Drops everything loaded for the previous user, and reloads the session. */
export function forgetSession() {
  if (!hasUnsaved()) queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'session' })
  return fetchSession()
}

export const signingOut = ['sign-out']
const isSigningOut = (): boolean => queryClient.isMutating({ mutationKey: signingOut }) > 0

const signOutHooks = new Set<() => void>()
/** Runs `act` before the session ends. Returns a function that cancels this. */
export function beforeSignOut(act: () => void): () => void {
  signOutHooks.add(act)
  return () => void signOutHooks.delete(act)
}

/** Cancels all queries first, because the server would refuse them without a session. */
async function endSession() {
  for (const act of signOutHooks) act()
  void queryClient.cancelQueries()
  return pauseCallsDuring(() => request({ method: 'POST', url: '/api/auth/sign-out', body: {} }))
}

/** Avoids `useMutation`, whose code the first screen can do without. */
export async function signOut(then: () => void) {
  const call = queryClient
    .getMutationCache()
    .build(queryClient, queryClient.defaultMutationOptions({ mutationKey: signingOut, mutationFn: endSession }))
  try {
    await call.execute(undefined)
  } catch {
    // The mutation cache has already shown the error.
    return queryClient.invalidateQueries()
  }
  queryClient.setQueryData(sessionQuery.queryKey, null)
  closeToasts(() => true)
  then()
  // Wait until the current screen has closed: it would make calls that need a session, and reload the dropped data.
  setTimeout(() => {
    resumeCalls()
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isCallCanceled(state.error) })
    void forgetSession()
  })
}

/** The properties of a user that decide which screens they may see. */
const accessOf = (user: SessionUser | null | undefined) =>
  JSON.stringify(user ? [user.id, user.roles, user.mustSetUp] : null)

/** Leaves a screen its user may not see once the session has ended or changed, whichever request brought that to light. */
export function watchSession(router: { invalidate: () => Promise<void> }): void {
  let before = queryClient.getQueryData(sessionQuery.queryKey)
  queryClient.getQueryCache().subscribe(({ type, query, ...event }) => {
    if (type !== 'updated' || query.queryKey[0] !== sessionQuery.queryKey[0]) return
    const action = 'action' in event && event.action.type === 'success' ? event.action : undefined
    const user = queryClient.getQueryData(sessionQuery.queryKey)
    const previous = before
    if (action) before = user
    // Code that ends the session itself also leaves the screen.
    if (!action || action.manual || isSigningOut() || !previous || accessOf(previous) === accessOf(user)) return
    // These toasts refer to the previous user's entries.
    if (previous.id !== user?.id) closeToasts(() => true)
    if (!user && !hasUnsaved())
      notify({ kind: 'info', message: 'Your session has ended. Sign in to continue.', duration: 0 })
    void router.invalidate()
  })
}

const returnUrlKey = 'toolbox.wanted'

/** Remembers, for this tab, the page that the user requested before signing in. */
export const rememberReturnUrl = (href: string) => writeStorage(returnUrlKey, href, 'sessionStorage')
export const forgetReturnUrl = () => writeStorage(returnUrlKey, null, 'sessionStorage')

const deniedKey = 'toolbox.denied'

/** Remembers, for this tab, the screen that the user lacked the role for, and their roles at that time. */
export const rememberDenied = (href: string, roles: Roles) =>
  writeStorage(deniedKey, `${JSON.stringify(roles)} ${href}`, 'sessionStorage')
export const forgetDenied = () => writeStorage(deniedKey, null, 'sessionStorage')
export function readDenied(): { href: string; roles: string } | null {
  const [, roles = '', place = ''] = /^(\S+) (.+)$/.exec(readStorage(deniedKey, 'sessionStorage') ?? '') ?? []
  const href = ownPath(place)
  return href === null ? null : { href, roles }
}

/** The address if it is on this site, otherwise null. */
const ownPath = (href: string | null) => (href && /^\/(?![/\\])/.test(href) ? href : null)

/** Returns the remembered page, or the home page if there is none, and forgets it. */
export function takeReturnUrl(): string {
  const href = readStorage(returnUrlKey, 'sessionStorage')
  forgetReturnUrl()
  return ownPath(href) ?? '/'
}
