import { Button } from '../../../ui/components/button.tsx'

/** Asks for the next page of a query. */
export function ShowOlder({ query }: { query: { isFetchingNextPage: boolean; fetchNextPage: () => unknown } }) {
  return (
    <Button size="small" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      Show older
    </Button>
  )
}
