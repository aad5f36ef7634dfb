import { useInfiniteQuery } from '@tanstack/react-query'
import { useWords } from '../../../ui/clock.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { formatSpan } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import type { Incident } from '../../contract.ts'
import { incidentsQuery } from '../calls.ts'
import type { PageNames } from '../tool-pages.ts'
import css from './incidents.module.css'

/** When an entry failed, for how long, and why: what goes on first. */
export function Incidents({ tool, id }: { tool: PageNames; id: string }) {
  const refetchInterval = useRefreshEvery()
  const query = useInfiniteQuery({ ...incidentsQuery(tool, id), refetchInterval })
  const { data, isPending } = query
  if (isPending) return <div aria-busy="true" hidden />
  if (!data || data.length === 0) return null
  return (
    <Part aria-label="Incidents">
      <h2>Incidents</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={css.incidents} aria-label="Incidents" tabIndex={0}>
        {data.map((incident) => (
          <Line key={incident.id} incident={incident} />
        ))}
        {query.hasNextPage && (
          <li className={css.more}>
            <ShowOlder query={query} />
          </li>
        )}
      </ol>
    </Part>
  )
}

function Line({ incident: { since, closedAt, cause } }: { incident: Incident }) {
  const lasted = useWords(closedAt === null ? since : null, () => formatSpan((closedAt ?? timeNow()) - since))
  return (
    <li>
      <StatusPill look={closedAt === null ? 'bad' : 'off'} text={closedAt === null ? 'Ongoing' : 'Over'} />
      <Moment at={since} />
      <span className={css.lasted}>{closedAt === null ? `${lasted} so far` : lasted}</span>
      <span className={css.cause}>{cause}</span>
    </li>
  )
}

/** Asks for the next page of a query. */
export function ShowOlder({ query }: { query: { isFetchingNextPage: boolean; fetchNextPage: () => unknown } }) {
  return (
    <Button size="small" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      Show older
    </Button>
  )
}
