import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Milliseconds } from '../../shared/time.ts'
import { api } from './api.ts'
import { queryClient } from './query.ts'

/** What a provider is called, and where its accounts show themselves: `{id}` and `{username}` stand for the account's. */
export type Profile = { name: string; url: string }
/** By the provider's id. */
export type Profiles = Readonly<Record<string, Profile>>
type ServerConfig = {
  needsAdmin: boolean
  baseUrl: string
  intervals: Record<string, Milliseconds>
  profiles: Profiles
}

const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: async () => (await api.get<ServerConfig>('/api/v1/config')).data,
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
})

/** How often a tool runs by this server's configuration; undefined until it is known. */
export const useDefaultInterval = (tool: string): Milliseconds | undefined =>
  useQuery(configQuery).data?.intervals[tool]

/** Done once it is known, or was asked for in vain: for screens whose words depend on it. */
export const readServerConfig = (): Promise<void> => queryClient.prefetchQuery(configQuery)

const none: Profiles = {}
/** Every provider an account here may come from; empty until it is known. */
export const useProfiles = (): Profiles => useQuery(configQuery).data?.profiles ?? none

/** Whether nobody administers this server yet; undefined until it is known. */
export const useNeedsAdmin = (): boolean | undefined => useQuery(configQuery).data?.needsAdmin

/** Called once the server is another than it was. */
export const forgetServerConfig = () => queryClient.invalidateQueries({ queryKey: configQuery.queryKey })

/** The public address of this server; undefined until it is known. */
export const useBaseUrl = (): string | undefined => useQuery(configQuery).data?.baseUrl
