import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../../ui/components/button.tsx'
import { useDebounced } from '../../../../ui/debounce.ts'
import type { QuietHours } from '../../../../ui/form/quiet/quiet-hours.ts'
import { zoneHere } from '../../../../ui/format-time.ts'
import type { AdviceBody, Pool } from '../../contract.ts'
import { poolQuery } from './calls.ts'
import css from './hours.module.css'
import { PoolHours } from './pool-hours.tsx'

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const typing = 400

/** The free hours of the host once this entry is saved, and quiet hours with which they would last. */
export function EntryHours({ entry, onQuiet }: { entry: AdviceBody; onQuiet: (quiet: QuietHours) => void }) {
  // Objects that say the same are one.
  const asked: AdviceBody = JSON.parse(useDebounced(JSON.stringify(entry), typing))
  const { data, isPending } = useQuery(poolQuery(asked))
  if (!data && !isPending) return null
  return (
    <div className={css.entry}>
      <PoolHours pool={data} />
      {data?.quiet && <Offer pool={data} quiet={data.quiet} now={entry.quiet ?? null} onQuiet={onQuiet} />}
    </div>
  )
}

function Offer(props: {
  pool: Pool
  quiet: { from: string; to: string }
  now: QuietHours | null
  onQuiet: (quiet: QuietHours) => void
}) {
  const { pool, quiet, now, onQuiet } = props
  const [apps, others] = pool.apps === 2 ? ['both apps', 'the other'] : [`all ${pool.apps} apps`, 'the others']
  const isFilledIn = now?.from === quiet.from && now.to === quiet.to
  return (
    <>
      <p>
        They would last with quiet hours from <b>{quiet.from}</b> to <b>{quiet.to}</b> every day, on {apps} there
        {isFilledIn ? `: set them on ${others} as well.` : '.'}
      </p>
      {!isFilledIn && (
        <Button size="small" onClick={() => onQuiet({ zone: zoneHere(), days: everyDay, ...quiet })}>
          Fill in these quiet hours
        </Button>
      )}
    </>
  )
}
