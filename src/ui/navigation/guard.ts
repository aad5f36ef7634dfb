import { redirect } from '@tanstack/react-router'
import { pages } from '../../shared/pages.ts'
import { type AccessLevel, can, type RoleName } from '../../shared/user.ts'
import { blockLeaving, setNeededRole } from '../data/editing.ts'
import { queryClient } from '../data/query.ts'
import {
  forgetDenied,
  forgetReturnUrl,
  rememberDenied,
  rememberReturnUrl,
  sessionQuery,
  takeReturnUrl,
} from '../data/session.ts'

export type RouteRequest = { location: { href: string }; preload: boolean; cause: 'preload' | 'enter' | 'stay' }

/** Guards a screen that needs a role: users without it are sent to the error page. */
export const requireRole = (role: RoleName, level: AccessLevel) => async (request: RouteRequest) => {
  const user = await resolveUser(request)
  if (!request.preload) setNeededRole(role, level)
  if (can(user, role, level) || isBlocked(request)) return
  if (user && !request.preload) rememberDenied(request.location.href, user.roles)
  else if (!request.preload) forgetDenied()
  throw redirect({ to: pages.error.path, search: { error: 'AccessDenied' } })
}

/** Guards a screen that needs a signed-in user: others are sent to the sign-in page. */
export async function requireSession(request: RouteRequest) {
  if ((await resolveUser(request)) || isBlocked(request)) return
  throw redirect({ to: pages.signIn.path })
}

/** Guards a screen for signed-out visitors: signed-in users are sent to the page they first requested. */
export async function requireSignedOut({ preload }: Pick<RouteRequest, 'preload'>) {
  const user = await queryClient.fetchQuery(sessionQuery)
  if (!user) return
  if (user.mustSetUp) throw redirect({ to: pages.secondFactor.path })
  throw redirect({ href: preload ? '/' : takeReturnUrl() })
}

/** Guards the screen that sets up a second factor: users who need none are sent to the page they first requested. */
export async function requireSetUp({ preload }: Pick<RouteRequest, 'preload'>) {
  const user = await queryClient.fetchQuery(sessionQuery)
  if (!user) throw redirect({ to: pages.signIn.path })
  if (!user.mustSetUp) throw redirect({ href: preload ? '/' : takeReturnUrl() })
}

/** Loads the session for a screen that depends on whether a user is signed in. */
export const loadSession = (): Promise<void> => queryClient.prefetchQuery(sessionQuery)

const isBlocked = ({ cause, preload }: RouteRequest) => cause === 'stay' && !preload && blockLeaving()

/** Returns the user who opens the screen. If there is none, remembers to return to the screen after sign-in. */
async function resolveUser(request: RouteRequest) {
  const { location, preload, cause } = request
  // A user who stays on the same screen, such as while searching a list, shouldn't wait for the server.
  const user = await (cause === 'stay'
    ? queryClient.ensureQueryData(sessionQuery)
    : queryClient.fetchQuery(sessionQuery))
  const isSetUpPage = () => new URL(location.href, origin).pathname === pages.secondFactor.path
  if (user?.mustSetUp && !isSetUpPage() && !isBlocked(request)) {
    if (!preload) rememberReturnUrl(location.href)
    throw redirect({ to: pages.secondFactor.path })
  }
  if (preload) return user
  if (user) forgetReturnUrl()
  else rememberReturnUrl(location.href)
  return user
}
