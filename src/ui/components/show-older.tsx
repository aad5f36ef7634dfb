import { loadOlder, type Paged } from '../data/call.ts'
import { Button } from './button.tsx'

/** Loads the next page of what a query answers by pages, if there is one. */
export function ShowOlder({ query, children = 'Show older' }: { query: Paged; children?: string }) {
  const { hasNextPage, isFetchingNextPage, isRefetching, refetch, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <Button
      size="small"
      disabled={isFetchingNextPage}
      onClick={() => void loadOlder({ isRefetching, refetch, fetchNextPage })}
    >
      {children}
    </Button>
  )
}
