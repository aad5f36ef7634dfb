import { type Look, StatusPill } from '../../../ui/components/pill.tsx'
import { formatSince } from '../../../ui/format-time.ts'
import type { Health } from '../../contract.ts'
import type { Item } from '../tool-pages.ts'
import css from './status.module.css'

const looks: Readonly<Record<Health, Look>> = { ok: 'ok', new: 'busy', failing: 'bad', blocked: 'bad', paused: 'off' }

export const activity = ({ status }: Pick<Item, 'status'>) => (status ? 'Active' : 'Inactive')

/** What is wrong with an entry, since when and why; undefined if nothing is. */
export function troubleOf({ health, status, failingSince, lastRun }: Item): string | undefined {
  if (health === 'paused') return status ? "paused: its owner's account is not active" : undefined
  if (health !== 'failing' && health !== 'blocked') return undefined
  const since = failingSince === null ? health : `${health} since ${formatSince(failingSince)}`
  return lastRun?.success === false && lastRun.note ? `${since} · ${lastRun.note}` : since
}

/** Whether an entry is active, and how it is doing by the colour of its dot. */
export const HealthPill = ({ row }: { row: Pick<Item, 'health' | 'status'> }) => (
  <StatusPill dot look={looks[row.health]} text={activity(row)} />
)

/** The pill of an entry, what is wrong in words, and what else its tool has to say. */
export function Status({ row, note }: { row: Item; note?: string | undefined }) {
  const trouble = troubleOf(row)
  return (
    <span className={css.status}>
      <HealthPill row={row} />
      {trouble && <small>{trouble}</small>}
      {note && <small>{note}</small>}
    </span>
  )
}
