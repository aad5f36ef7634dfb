import { useQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page.tsx'
import type { LastImage } from '../contract.ts'
import { imagesQuery } from './calls.ts'
import css from './side.module.css'

const words = { purged: 'purged', fresh: 'purged recently', failed: 'failed' }

/** The outcome of each image in the last run that could read the page. */
export function LastImages({ id, lastRunAt }: { id: string; lastRunAt: number | undefined }) {
  const { data, isPending } = useQuery(imagesQuery(id))
  if (isPending) return <div aria-busy="true" hidden />
  if (!data || data.at === null) return null
  const { at, images } = data
  return (
    <Part className={css.side} aria-label="Images of the last run">
      <h2>Images of the last run</h2>
      {lastRunAt !== undefined && at < lastRunAt && (
        <p>
          The last run couldn't read the page. These are the results from <Ago at={at} />.
        </p>
      )}
      {images.length === 0 && <p>No cached images on the page.</p>}
      {images.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol className={css.images} aria-label="Images" tabIndex={0}>
          {images.map((image, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole, and the place is the key
            <Row key={position} image={image} />
          ))}
        </ol>
      )}
    </Part>
  )
}

const Row = ({ image: { origin, outcome, note } }: { image: LastImage }) => (
  <li>
    <code title={origin}>{origin}</code>
    <span data-outcome={outcome}>{outcome === 'failed' ? `failed: ${note}` : words[outcome]}</span>
  </li>
)
