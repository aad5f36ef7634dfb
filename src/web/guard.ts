import { redirect } from '@tanstack/react-router'
import { type AccessLevel, can, type RoleName } from '../shared/user.ts'
import { queryClient } from './query.ts'
import { rememberWanted, sessionQuery } from './session.ts'

type Asked = { location: { href: string }; preload: boolean }

/** A screen that needs a role sends whoever lacks it to the one that says so. */
export const needsRole =
  (role: RoleName, level: AccessLevel) =>
  async ({ location, preload }: Asked) => {
    const user = await queryClient.fetchQuery(sessionQuery)
    if (can(user, role, level)) return
    if (!preload && !user) rememberWanted(location.href)
    throw redirect({ to: '/auth/error', search: { error: 'AccessDenied' } })
  }

/** A screen that needs somebody signed in asks for that first. */
export async function needsSession({ location, preload }: Asked) {
  if (await queryClient.fetchQuery(sessionQuery)) return
  if (!preload) rememberWanted(location.href)
  throw redirect({ to: '/auth/signin/{-$user}' })
}

/** A screen for whoever is not signed in yet. */
export async function needsNobody() {
  if (await queryClient.fetchQuery(sessionQuery)) throw redirect({ to: '/' })
}
