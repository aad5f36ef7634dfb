import { hasFailed } from '../data/query.ts'
import { Button } from './button.tsx'
import css from './load-failed.module.css'
import surface from './surface.module.css'

type Query = Parameters<typeof hasFailed>[0] & { data: unknown; refetch: () => Promise<unknown> }

/** Shown where the data of `queries` would be, if loading any of it has failed. `card`: as a card, not within one. */
export function LoadFailed({ what, queries, card }: { what?: string; queries: readonly Query[]; card?: true }) {
  const failed = queries.filter((query) => query.data === undefined && hasFailed(query))
  if (failed.length === 0) return null
  return (
    <p className={card ? `${css.failed} ${css.card} ${surface.card}` : css.failed} role="alert">
      <LoadFailedNote size="small" what={what} onRetry={() => failed.forEach(({ refetch }) => void refetch())} />
    </p>
  )
}

export const LoadFailedNote = (props: { what?: string | undefined; size?: 'small'; onRetry: () => void }) => (
  <>
    <strong>Couldn't load {props.what ?? 'this list'}</strong>
    <span>Your data is safe. Try loading it again.</span>
    <Button {...(props.size && { size: props.size })} onClick={props.onRetry}>
      Try again
    </Button>
  </>
)
