import { queryOptions, useMutation } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { readServerConfig } from '../../../ui/data/server-config.ts'
import type { CreatedKey, NewKeyBody, OwnSession } from '../../contract.ts'
import type { ApiKey } from '../../users/contract.ts'
import type { ProviderLink } from '../profile/provider-link.ts'
import { providersQuery } from '../sign-in/calls.ts'

export type NewKey = z.infer<typeof NewKeyBody>
export type FreshKey = z.infer<typeof CreatedKey>

const paths = { sessions: '/api/v1/user/sessions', keys: '/api/v1/user/apikeys', provider: '/api/v1/user/provider' }

export const sessionsQuery = queryOptions({
  queryKey: ['own', 'sessions'],
  queryFn: async () => (await api.get<OwnSession[]>(paths.sessions)).data,
})

export const keysQuery = queryOptions({
  queryKey: ['own', 'keys'],
  queryFn: async () => (await api.get<ApiKey[]>(paths.keys)).data,
})

/** Done once all of the profile is here, or was asked for in vain, so that its parts do not push each other about. */
export const readOwn = () =>
  Promise.all([
    readServerConfig(),
    queryClient.prefetchQuery(providersQuery),
    queryClient.prefetchQuery(sessionsQuery),
    queryClient.prefetchQuery(keysQuery),
  ])

const readAgain = ({ queryKey }: { queryKey: readonly unknown[] }) => queryClient.invalidateQueries({ queryKey })

/** Ends one session by its id, or all but this one; answers how many ended. */
export const useEndSessions = () =>
  useMutation({
    mutationFn: async (which: { id: string } | { others: true }) =>
      (await api.delete<{ ended: number }>(paths.sessions, { params: which })).data.ended,
    // A session that is gone already is refused, and the list is old then too.
    onSettled: () => readAgain(sessionsQuery),
  })

export const useCreateKey = () =>
  useMutation({
    mutationFn: async (key: NewKey) => (await api.post<FreshKey>(paths.keys, key)).data,
    onSuccess: () => void readAgain(keysQuery),
  })

export const useDeleteKey = () =>
  useMutation({
    mutationFn: (id: string) => api.delete(paths.keys, { params: { id } }),
    onSettled: () => readAgain(keysQuery),
  })

export const useUnlink = () =>
  useMutation({
    mutationFn: ({ providerId, accountId }: ProviderLink) =>
      api.delete(paths.provider, { params: { providerId, accountId } }),
    onSettled: () => readAgain({ queryKey: ['session'] }),
  })
