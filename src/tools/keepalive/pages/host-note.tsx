import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { everyOf, type Interval, recommended, sleepsBetween } from '../hosts/terms/interval.ts'
import { asOf, type KnownHost, type Note } from '../hosts/terms/known-hosts.ts'
import css from './host-note.module.css'

/** What a host does to its apps, and what this interval makes of it, one sentence each. */
export function HostNote(props: {
  host: KnownHost
  interval: Interval
  usual: Milliseconds | undefined
  children: ReactNode
}) {
  const { host, interval, usual } = props
  const pace = usual === undefined ? [] : paceNotes(host, interval, usual)
  return (
    <div className={css.notes} role="note" aria-label="About this host">
      <p>
        <b>Hosted by {host.name}</b> <small>As far as we know, {asOf}</small>
      </p>
      <ul>
        {[...host.notes, ...pace].map(({ text, warning }) => (
          <li key={text} className={warning && css.warning}>
            {warning ? <TriangleAlert size={14} aria-hidden="true" /> : <Info size={14} aria-hidden="true" />}
            <span>
              {warning && <span className="sr">Warning: </span>}
              {text}
            </span>
          </li>
        ))}
      </ul>
      {props.children}
    </div>
  )
}

/** Keeps the room of the month's hours until what shows them is loaded, so that nothing moves then. */
export const HoursToCome = () => <div className={css.hours}>Counting this month's hours…</div>

function paceNotes(host: KnownHost, interval: Interval, usual: Milliseconds): Note[] {
  // An unfinished number is shown as an error.
  if (Number.isNaN(interval)) return []
  const every = everyOf({ url: `https://app.${host.domains[0]}`, interval }, usual)
  const auto = recommended(host, usual)
  const pings = `We'll ping every ${formatInterval(every)}`
  if (!sleepsBetween(host, every)) return interval === 'auto' && host.interval !== null ? [{ text: `${pings}.` }] : []
  const instead = sleepsBetween(host, auto) || interval === 'auto' ? '' : ` Auto pings every ${formatInterval(auto)}.`
  const sleep = formatInterval(minutes(host.sleepsAfter ?? 0))
  return [{ text: `${pings}, but the app sleeps after ${sleep}.${instead}`, warning: true }]
}
