import { useQuery } from '@tanstack/react-query'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { listQuery } from '../calls.ts'
import type { Item, PageNames } from '../tool-pages.ts'

const formatCount = (count: number) => count.toLocaleString('en')

/** How many of a tool's entries that the user may see are active, and how many are not. */
export function EntryFigure({ tool }: { tool: PageNames }) {
  const refetchInterval = useRefreshEvery()
  const { data } = useQuery({ ...listQuery<Item>(tool), refetchInterval, meta: { quiet: true } })
  if (!data) return null
  if (data.length === 0) return 'No entries yet'
  const active = data.filter(({ status }) => status).length
  const inactive = data.length - active
  return (
    <>
      <b>{formatCount(active)}</b> active
      {inactive > 0 && (
        <>
          , <b>{formatCount(inactive)}</b> inactive
        </>
      )}
    </>
  )
}
