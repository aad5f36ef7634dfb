import { queryOptions, useMutation } from '@tanstack/react-query'
import { call, callQuery, type Input, reload, useCall } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { outcomeOf, type VersionedRecord } from '../../ui/form/conflict/edits.ts'
import type { StatusPage } from '../contract.ts'

export const pageQuery = queryOptions({ ...callQuery('GET /api/v1/user/status'), meta: { about: { topic: 'status' } } })
function cachePage(page: StatusPage) {
  queryClient.setQueryData(pageQuery.queryKey, page)
  // Discards a pending response, which may predate this version.
  void reload(pageQuery)
}

export type PageVersion = StatusPage & VersionedRecord

/** The page as its form's record. Only its owner can change it; while there is no page, `updatedAt` is 0. */
export function versionOf(page: StatusPage, ownerId: string | null): PageVersion {
  const updatedAt = page.updatedAt ?? 0
  return { ...page, id: 'status-page', updatedAt, changedBy: null, changedById: ownerId, changedAt: updatedAt }
}

export const useSavePage = () =>
  useMutation({
    mutationFn: ({ id: _, ...body }: Input<'PUT /api/v1/user/status'> & { id: string }) =>
      outcomeOf(call('PUT /api/v1/user/status', body)),
    onSuccess: (outcome) => cachePage('saved' in outcome ? outcome.saved : outcome.current),
  })

export const useRemovePage = () =>
  useCall('DELETE /api/v1/user/status', {
    onSuccess: () => cachePage({ slug: null, title: '', text: '', entries: [], url: null, updatedAt: null }),
  })
