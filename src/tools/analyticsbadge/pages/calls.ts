import { queryOptions } from '@tanstack/react-query'
import { callQuery, reload, useCall } from '../../../ui/data/call.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { lastDays } from './figures.ts'

export const statsQuery = (tag: string) =>
  queryOptions({
    ...callQuery('GET /api/v1/analyticsbadge/:tag/stats', { tag }),
    select: (stats) => ({ ...stats, lastDays: lastDays(stats.days, timeNow()) }),
    meta: { quiet: true },
  })

const reloadBadge = (tag: string) => reload('GET /api/v1/user/badges', statsQuery(tag))

export const useClaim = () =>
  useCall('POST /api/v1/analyticsbadge/:tag/claim', {
    // Don't await the reload: the user may already be typing the next tag.
    onSettled: (_data, _error, { tag }) => void reloadBadge(tag),
  })

export const useRelease = () =>
  useCall('DELETE /api/v1/analyticsbadge/:tag/claim', { onSettled: (_data, _error, { tag }) => reloadBadge(tag) })

export const usePatchBadge = () =>
  useCall('PATCH /api/v1/analyticsbadge/:tag', { onSettled: (_data, _error, { tag }) => reloadBadge(tag) })
