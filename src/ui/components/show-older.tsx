import { useState } from 'react'
import { loadOlder, type PagedQuery } from '../data/call.ts'
import { Button } from './button.tsx'

export function ShowOlder({ query, children = 'Show older' }: { query: PagedQuery; children?: string }) {
  const { hasNextPage, isFetchingNextPage, isRefetching, refetch, fetchNextPage } = query
  const [isWaiting, setWaiting] = useState(false)
  const load = async () => {
    setWaiting(true)
    await loadOlder({ isRefetching, refetch, fetchNextPage })
    setWaiting(false)
  }
  if (!hasNextPage) return null
  return (
    <Button size="small" disabled={isWaiting || isFetchingNextPage} onClick={() => void load()}>
      {children}
    </Button>
  )
}
