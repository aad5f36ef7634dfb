import { redirect } from '@tanstack/react-router'
import { type AccessLevel, can, type RoleName } from '../../shared/user.ts'
import { queryClient } from '../data/query.ts'
import { forgetWanted, rememberDenied, rememberWanted, sessionQuery, takeWanted } from '../data/session.ts'
import { blockLeaving, setNeeded } from './editing.ts'

export type Asked = { location: { href: string }; preload: boolean; cause: 'preload' | 'enter' | 'stay' }

/** A screen that needs a role sends whoever lacks it to the one that says so. */
export const needsRole = (role: RoleName, level: AccessLevel) => async (asked: Asked) => {
  const user = await whoIs(asked)
  if (!asked.preload) setNeeded(role, level)
  if (can(user, role, level) || isBlocked(asked)) return
  if (user && !asked.preload) rememberDenied(asked.location.href, user.roles)
  throw redirect({ to: '/auth/error', search: { error: 'AccessDenied' } })
}

/** A screen that needs somebody signed in asks for that first. */
export async function needsSession(asked: Asked) {
  if ((await whoIs(asked)) || isBlocked(asked)) return
  throw redirect({ to: '/auth/signin/{-$user}' })
}

/** A screen for whoever is not signed in yet; whoever is goes on to where they wanted to go. */
export async function needsNobody({ preload }: Pick<Asked, 'preload'>) {
  if (!(await queryClient.fetchQuery(sessionQuery))) return
  throw redirect({ href: preload ? '/' : takeWanted() })
}

/** A screen that says something else to whoever is signed in. */
export const needsToKnow = (): Promise<void> => queryClient.prefetchQuery(sessionQuery)

/** Whether unsaved changes keep the screen. */
const isBlocked = ({ cause, preload }: Asked) => cause === 'stay' && !preload && blockLeaving()

/** Who asks. Nobody is to come back here after signing in; somebody has arrived. */
async function whoIs({ location, preload, cause }: Asked) {
  // Whoever only searches on the same screen need not wait for the server.
  const user = await (cause === 'stay'
    ? queryClient.ensureQueryData(sessionQuery)
    : queryClient.fetchQuery(sessionQuery))
  if (preload) return user
  if (user) forgetWanted()
  else rememberWanted(location.href)
  return user
}
