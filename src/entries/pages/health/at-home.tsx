import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ComponentProps, type ReactNode, Suspense, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { titleOf } from '../../../shared/title.ts'
import { can } from '../../../shared/user.ts'
import { Button, buttonClass } from '../../../ui/components/button.tsx'
import { Ago } from '../../../ui/components/moment.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { formatSince, formatTimeInZone } from '../../../ui/format-time.ts'
import type { Figures, Incident } from '../../contract.ts'
import { figuresQuery, openIncidentsQuery, recentQuery } from '../calls.ts'
import { modifyPath } from '../head.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './at-home.module.css'
import { ShowOlder } from './incidents.tsx'
import recent from './recent-runs.module.css'

type Tools = { tools: readonly PageNames[] }

/** What goes wrong right now, or that nothing does; below it what tools say, and the most recent runs. */
export function AtHome({ tools, children }: Tools & { children?: ReactNode }) {
  const user = useSessionUser()
  const refetchInterval = useRefreshEvery()
  const incidents = useInfiniteQuery({ ...openIncidentsQuery(tools), refetchInterval })
  const figures = useQueries({
    queries: tools.map((tool) => ({ ...figuresQuery(tool), refetchInterval })),
  })
  // Others see only their own anyway.
  const mine = user && can(user, 'Tools', 2) ? 'true' : undefined
  const own = useQueries({ queries: tools.map((tool) => ({ ...figuresQuery(tool, mine), refetchInterval })) })
  // What stands below would be moved by what comes later.
  if (incidents.isPending || [...figures, ...own].some(({ isPending }) => isPending)) return null
  const known = (asked: typeof figures) => asked.flatMap(({ data }) => data ?? [])
  const open = incidents.data ?? []
  return (
    <>
      {open.length > 0 ? (
        <Open incidents={open} tools={tools} query={incidents} />
      ) : (
        <AllFine figures={known(figures)} own={known(own)} />
      )}
      <Suspense>
        {children}
        <RecentRuns tools={tools} />
      </Suspense>
    </>
  )
}

const few = 5

type OpenProps = Tools & {
  incidents: readonly Incident[]
  query: ComponentProps<typeof ShowOlder>['query'] & { hasNextPage: boolean }
}

function Open({ incidents, tools, query }: OpenProps) {
  const [all, setAll] = useState(false)
  const shown = all ? incidents : incidents.slice(0, few)
  return (
    <section className={css.open} aria-label="Open incidents">
      <h2>Open incidents</h2>
      <ol>
        {shown.map((incident) => (
          <Line key={incident.id} incident={incident} tool={tools.find(({ id }) => id === incident.tool)} />
        ))}
      </ol>
      {incidents.length > shown.length && (
        <Button size="small" onClick={() => setAll(true)}>
          {query.hasNextPage ? `Show the newest ${incidents.length}` : `Show all ${incidents.length}`}
        </Button>
      )}
      {all && query.hasNextPage && <ShowOlder query={query} />}
    </section>
  )
}

function Line({ incident, tool }: { incident: Incident; tool: PageNames | undefined }) {
  const { entry, name, about, since, cause } = incident
  const title = titleOf({ name, about, id: entry })
  if (!tool) return null
  return (
    <li>
      <span className={css.since} title={formatTimeInZone(since)}>
        since {formatSince(since)}
      </span>
      <span className={css.what} title={title}>
        <b dir="auto">{title}</b> <small>{tool.label}</small>
      </span>
      <span className={css.cause} title={cause}>
        {cause}
      </span>
      <Link to={modifyPath(tool)} search={{ id: entry }} className={buttonClass({ size: 'small' })}>
        Open<span className="sr"> {title}</span>
      </Link>
    </li>
  )
}

function AllFine({ figures, own }: { figures: readonly Figures[]; own: readonly Figures[] }) {
  const sum = (key: keyof Figures) => figures.reduce((total, one) => total + one[key], 0)
  const active = sum('active')
  if (active === 0 || sum('failing') + sum('blocked') > 0) return null
  const which = sum('inactive') > 0 ? 'active ' : ''
  const only = own.some(({ active }) => active === 1) ? 'Your only' : 'The only'
  return (
    <p className={css.fine}>
      <CircleCheck size={16} aria-hidden="true" />
      {active === 1 ? `${only} ${which}entry is fine.` : `All ${formatCount(active)} ${which}entries are fine.`}
    </p>
  )
}

const lines = 6

/** The most recent runs of all tools, one for each entry. */
function RecentRuns({ tools }: { tools: readonly PageNames[] }) {
  const refetchInterval = useRefreshEvery()
  const lists = useQueries({
    queries: tools.map((tool) => ({ ...recentQuery(tool), refetchInterval })),
  })
  const runs = lists
    .flatMap(({ data = [] }, index) => {
      const tool = tools[index]
      return data.flatMap((item) => (tool && item.lastRun ? [{ tool, item, run: item.lastRun }] : []))
    })
    .sort((a, b) => b.run.timestamp - a.run.timestamp)
    .slice(0, lines)
  if (runs.length === 0) return null
  return (
    <section className={recent.runs} aria-label="Recent runs">
      <h2>Recent runs</h2>
      <ol>
        {runs.map(({ tool, item, run }) => (
          <li key={item.id}>
            <RunPill success={run.success} />
            <b>{tool.label}</b>
            <Link to={modifyPath(tool)} search={{ id: item.id }}>
              {titleOf(item)}
            </Link>
            <Ago at={run.timestamp} />
          </li>
        ))}
      </ol>
    </section>
  )
}
