import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Activity, activityPage } from '../../people/audit/contract.ts'
import { providersQuery } from '../../sign-in/pages/calls.ts'
import { ownFactorQuery } from '../../sign-in/pages/second-factor/calls.ts'
import { call, callQuery, olderPages, reload } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { prefetchForUser, sessionQuery } from '../../ui/data/session.ts'

const activity = 'GET /api/v1/user/activity'
export const activityQuery = infiniteQueryOptions({
  queryKey: [activity],
  queryFn: ({ pageParam }) => call(activity, pageParam),
  ...olderPages<Activity>(activityPage, ({ at }) => at),
})

/** Reloads the changed queries and, without waiting for it, the activity that now contains the change. */
export const reloadWithActivity = (...changed: Parameters<typeof reload>) => {
  void reload(activityQuery)
  return reload(...changed)
}

export const ownEmailQuery = callQuery('GET /api/v1/user/email')

export const reloadDetails = () => reload(sessionQuery, ownEmailQuery)

/** Resolves when the whole profile has loaded or failed, so that late parts don't shift the layout. */
export const loadProfile = () =>
  Promise.all([
    readServerConfig(),
    queryClient.prefetchQuery(providersQuery),
    queryClient.getQueryData(sessionQuery.queryKey)?.emailVerified === false &&
      queryClient.prefetchQuery(ownEmailQuery),
  ])

export const loadSecurity = () =>
  Promise.all([
    prefetchForUser(ownFactorQuery),
    prefetchForUser(callQuery('GET /api/v1/user/sessions')),
    prefetchForUser(callQuery('GET /api/v1/user/password')),
  ])

export const loadKeys = () => prefetchForUser(callQuery('GET /api/v1/user/apikeys'))
