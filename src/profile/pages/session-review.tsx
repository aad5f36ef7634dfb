import { useState } from 'react'
import type { Channel } from '../../notices/channels/contract.ts'
import { channelsQuery } from '../../notices/pages/channels/calls.ts'
import type { ApiKey } from '../../people/contract.ts'
import { days } from '../../shared/time.ts'
import { channelTitle } from '../../shared/title.ts'
import { callQuery } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { lazyDialog } from '../../ui/navigation/lazy.ts'
import { timeNow } from '../../ui/time-now.ts'

const useSessionReviewModal = lazyDialog(async () => (await import('./session-review-modal.tsx')).SessionReviewModal)

type CreatedItem = { id: string; name: string; kind: 'API key' | 'channel'; at: number }

/** Keys created and channels changed since then, newest first: a changed channel may have a new address. */
export function createdSince(since: number, keys: readonly ApiKey[], channels: readonly Channel[]): CreatedItem[] {
  const items: CreatedItem[] = [
    ...keys.map(({ id, name, createdAt }) => ({ id, name, kind: 'API key' as const, at: createdAt })),
    ...channels.map((channel) => ({
      id: channel.id,
      name: channelTitle(channel, channel.type),
      kind: 'channel' as const,
      at: channel.updatedAt,
    })),
  ]
  return items.filter(({ at }) => at >= since).toSorted((a, b) => b.at - a.at)
}

const hasItemsSince = async (since: number) => {
  const [keys, channels] = await Promise.all([
    queryClient.fetchQuery({ ...callQuery('GET /api/v1/user/apikeys'), staleTime: 0 }),
    queryClient.fetchQuery({ ...channelsQuery, staleTime: 0 }),
  ])
  return createdSince(since, keys, channels).length > 0
}

/** After other sessions have ended, `review` shows the keys and channels that they may have left behind, if any. */
export function useSessionReview() {
  const { Dialog, open, close, opener } = useSessionReviewModal()
  const [since, setSince] = useState(0)
  const review = async () => {
    // No session lasts longer.
    const from = timeNow() - days(30)
    // A failure is shown as a toast.
    if (!(await hasItemsSince(from).catch(() => false))) return
    setSince(from)
    opener.onClick()
  }
  return { review, dialog: Dialog && <Dialog open={open} since={since} onClose={close} /> }
}
