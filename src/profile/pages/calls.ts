import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { type Activity, activityPage } from '../../people/audit/contract.ts'
import type { ApiKey } from '../../people/contract.ts'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import type { CreatedKey, NewKeyBody, OwnSession } from '../../sign-in/contract.ts'
import { providersQuery } from '../../sign-in/pages/calls.ts'
import { ownFactorQuery } from '../../sign-in/pages/second-factor/calls.ts'
import { api } from '../../ui/data/api.ts'
import { queryClient } from '../../ui/data/query.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { prefetchForUser, sessionQuery } from '../../ui/data/session.ts'
import { ownEmailQuery } from './details/calls.ts'

type NewKey = z.infer<typeof NewKeyBody>
export type FreshKey = z.infer<typeof CreatedKey>

const paths = {
  sessions: '/api/v1/user/sessions',
  keys: '/api/v1/user/apikeys',
  provider: '/api/v1/user/provider',
  activity: '/api/v1/user/activity',
}

export const sessionsQuery = queryOptions({
  queryKey: ['own', 'sessions'],
  queryFn: async () => (await api.get<OwnSession[]>(paths.sessions)).data,
})

export const keysQuery = queryOptions({
  queryKey: ['own', 'keys'],
  queryFn: async () => (await api.get<ApiKey[]>(paths.keys)).data,
})

type Older = { before?: number }
const newest: Older = {}

export const activityQuery = infiniteQueryOptions({
  queryKey: ['own', 'activity'],
  queryFn: async ({ pageParam: params }) => (await api.get<Activity[]>(paths.activity, { params })).data,
  initialPageParam: newest,
  getNextPageParam: (page) => {
    const oldest = page.at(-1)
    return oldest && page.length >= activityPage ? { before: oldest.at } : undefined
  },
  select: ({ pages }) => pages.flat(),
})

/** Resolves when all of the profile is loaded or has failed to, so that its parts don't move each other. */
export const loadProfile = () =>
  Promise.all([
    readServerConfig(),
    queryClient.prefetchQuery(providersQuery),
    prefetchForUser(ownFactorQuery),
    prefetchForUser(sessionsQuery),
    prefetchForUser(keysQuery),
    queryClient.getQueryData(sessionQuery.queryKey)?.emailVerified === false &&
      queryClient.prefetchQuery(ownEmailQuery),
  ])

/** Reloads what a change concerns, and the activity that now holds it; no button waits for that. */
const reloadAfter = (query: { queryKey: readonly unknown[] }) => {
  void reload(activityQuery)
  return reload(query)
}
const reload = ({ queryKey }: { queryKey: readonly unknown[] }) => queryClient.invalidateQueries({ queryKey })

/** Ends one session by its id, or all but this one; returns how many ended. */
export const useEndSessions = () =>
  useMutation({
    mutationFn: async (which: { id: string } | { others: true }) =>
      (await api.delete<{ ended: number }>(paths.sessions, { params: which })).data.ended,
    // Also after an error: if the session is already gone, the list is outdated.
    onSettled: () => reloadAfter(sessionsQuery),
  })

export const useCreateKey = () =>
  useMutation({
    mutationFn: async (key: NewKey) => (await api.post<FreshKey>(paths.keys, key)).data,
    onSuccess: () => void reloadAfter(keysQuery),
  })

export const useDeleteKey = () =>
  useMutation({
    mutationFn: (id: string) => api.delete(paths.keys, { params: { id } }),
    onSettled: () => reloadAfter(keysQuery),
  })

export const useUnlink = () =>
  useMutation({
    mutationFn: ({ providerId, accountId }: ProviderLink) =>
      api.delete(paths.provider, { params: { providerId, accountId } }),
    onSettled: () => reload({ queryKey: ['session'] }),
  })
