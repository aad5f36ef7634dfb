import { useQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import type { LastImage } from '../contract.ts'
import { imagesQuery } from './calls.ts'
import { Copies } from './check/copies.tsx'
import css from './side.module.css'
import { stateWords } from './words.ts'

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
      {images.length > 0 && !images.some(({ compared }) => compared) && (
        <p>Run now also compares GitHub's copies with the images themselves.</p>
      )}
      {images.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol className={css.images} aria-label="Images" tabIndex={0}>
          {images.map((image, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole, and the place is the key
            <Row key={position} id={id} image={image} />
          ))}
        </ol>
      )}
    </Part>
  )
}

function Row({ id, image }: { id: string; image: LastImage }) {
  const { origin, outcome, compared } = image
  return (
    <li>
      <code title={origin}>{origin}</code>
      <span data-state={compared?.state ?? (outcome === 'failed' ? 'failed' : 'purged')}>{said(image)}</span>
      {compared?.cause && <p>{compared.cause}</p>}
      {compared && <Copies id={id} compared={compared} />}
    </li>
  )
}

const words = { purged: 'purged', fresh: 'purged recently' }

/** What was done, and how the copies compare unless that says it. */
function said({ outcome, note, compared }: LastImage): string {
  if (outcome === 'failed') return `failed: ${note}`
  const state = compared && stateWords[compared.state]
  if (outcome === 'kept') return state ?? ''
  return state === undefined || state === 'purged' ? words[outcome] : `${words[outcome]}, ${state}`
}
