import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Activity, activityPage } from '../../people/audit/contract.ts'
import { providersQuery } from '../../sign-in/pages/calls.ts'
import { ownFactorQuery } from '../../sign-in/pages/second-factor/calls.ts'
import { call, olderPages, read, reload } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { prefetchForUser, sessionQuery } from '../../ui/data/session.ts'

const activity = 'GET /api/v1/user/activity'
export const activityQuery = infiniteQueryOptions({
  queryKey: [activity],
  queryFn: ({ pageParam }) => call(activity, pageParam),
  ...olderPages<Activity>(activityPage, ({ at }) => at),
})

/** Reloads what a change concerns, and the activity that now holds it; no button waits for the latter. */
export const reloadWithActivity = (...changed: Parameters<typeof reload>) => {
  void reload(activityQuery)
  return reload(...changed)
}

export const ownEmailQuery = read('GET /api/v1/user/email')

export const reloadDetails = () => reload(sessionQuery, ownEmailQuery)

/** Resolves when all of the profile is loaded or has failed to, so that its parts don't move each other. */
export const loadProfile = () =>
  Promise.all([
    readServerConfig(),
    queryClient.prefetchQuery(providersQuery),
    queryClient.getQueryData(sessionQuery.queryKey)?.emailVerified === false &&
      queryClient.prefetchQuery(ownEmailQuery),
  ])

/** The same of the sign-in methods and sessions. */
export const loadSecurity = () =>
  Promise.all([
    prefetchForUser(ownFactorQuery),
    prefetchForUser(read('GET /api/v1/user/sessions')),
    prefetchForUser(read('GET /api/v1/user/password')),
  ])

export const loadKeys = () => prefetchForUser(read('GET /api/v1/user/apikeys'))
