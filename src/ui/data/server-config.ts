import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Milliseconds } from '../../shared/time.ts'
import { api } from './api.ts'
import { queryClient } from './query.ts'

/** A provider's name and the URL of its profiles, with `{id}` and `{username}` as placeholders. */
type Profile = { name: string; url: string }
/** Keyed by provider id. */
export type Profiles = Readonly<Record<string, Profile>>
type ServerConfig = {
  needsAdmin: boolean
  sendsMail: boolean
  baseUrl: string
  intervals: Record<string, Milliseconds>
  profiles: Profiles
}

const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => api.get<ServerConfig>('/api/v1/config'),
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
})

/** How often a tool runs by default on this server; undefined until it is loaded. */
export const useDefaultInterval = (tool: string): Milliseconds | undefined =>
  useQuery(configQuery).data?.intervals[tool]

/** Resolves once the configuration has loaded or failed, for screens whose text depends on it. */
export const readServerConfig = (): Promise<void> => queryClient.prefetchQuery(configQuery)

const none: Profiles = {}
/** All providers that an account may use; empty until loaded. */
export const useProfiles = (): Profiles => useQuery(configQuery).data?.profiles ?? none

export const useNeedsAdmin = (): boolean | undefined => useQuery(configQuery).data?.needsAdmin

export const useSendsMail = (): boolean | undefined => useQuery(configQuery).data?.sendsMail

/** Reloads the configuration; call it after a change. */
export const forgetServerConfig = () => queryClient.invalidateQueries({ queryKey: configQuery.queryKey })

export const useBaseUrl = (): string | undefined => useQuery(configQuery).data?.baseUrl
