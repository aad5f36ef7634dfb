import { queryOptions, useMutation } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import type { BadgeStats, OwnedBadge, PatchBadgeBody } from '../contract.ts'
import { badgePath, ownedPath } from '../terms.ts'
import { lastDays } from './days.ts'

export const ownedQuery = queryOptions({
  queryKey: ['own', 'badges'],
  queryFn: async () => (await api.get<OwnedBadge[]>(ownedPath)).data,
})

export const statsQuery = (tag: string) =>
  queryOptions({
    queryKey: ['badge', tag],
    queryFn: async () => {
      const { data: stats } = await api.get<BadgeStats>(`${badgePath}${tag}/stats`)
      return { ...stats, lastDays: lastDays(stats.days, Date.now()) }
    },
    meta: { quiet: true },
  })

const reload = (tag: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ownedQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['badge', tag] }),
  ])

export const useClaim = () =>
  useMutation({
    mutationFn: async ({ tag, owner }: { tag: string; owner?: string }) =>
      (await api.post<OwnedBadge>(`${badgePath}${tag}/claim`, owner === undefined ? {} : { owner })).data,
    // Nobody waits for this: the next tag may be typed already.
    onSettled: (_data, _error, { tag }) => void reload(tag),
  })

export const useRelease = () =>
  useMutation({
    mutationFn: (tag: string) => api.delete(`${badgePath}${tag}/claim`),
    onSettled: (_data, _error, tag) => reload(tag),
  })

export const usePatchBadge = () =>
  useMutation({
    mutationFn: ({ tag, ...patch }: PatchBadgeBody & { tag: string }) => api.patch(`${badgePath}${tag}`, patch),
    onSettled: (_data, _error, { tag }) => reload(tag),
  })
