import { useQuery } from '@tanstack/react-query'
import type { Milliseconds } from '../shared/time.ts'
import { api } from './api.ts'

type ServerConfig = { baseUrl: string; intervals: Record<string, Milliseconds> }

/** How often a tool runs by this server's configuration; undefined until it is known. */
export const useDefaultInterval = (tool: string): Milliseconds | undefined =>
  useQuery({
    queryKey: ['config'],
    queryFn: async () => (await api.get<ServerConfig>('/api/v1/config')).data,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  }).data?.intervals[tool]
