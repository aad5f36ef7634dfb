import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../web/ui/page.tsx'
import type { LastImage } from '../contract.ts'
import { imagesQuery } from './calls.ts'
import css from './ghmdinvalidator.module.css'

const words = { purged: 'purged', fresh: 'purged minutes before', failed: 'failed' }

/** What became of each image in the last run. */
export function LastImages({ id }: { id: string }) {
  const { data } = useQuery(imagesQuery(id))
  if (!data || data.length === 0) return null
  return (
    <Card className={css.part} aria-label="Images of the last run">
      <h2>Images of the last run</h2>
      <ul className={css.images}>
        {data.map((image) => (
          <Row key={image.camo} image={image} />
        ))}
      </ul>
    </Card>
  )
}

const Row = ({ image: { origin, camo, outcome, note } }: { image: LastImage }) => (
  <li data-outcome={outcome}>
    <code title={camo}>{origin}</code>
    <span>{note ?? words[outcome]}</span>
  </li>
)
