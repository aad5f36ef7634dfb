import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { List, type LucideIcon, Plus } from 'lucide-react'
import { Fragment, type ReactNode, Suspense, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { titleOf } from '../../../shared/title.ts'
import { Button, buttonClass, iconButtonClass, linkClass } from '../../../ui/components/button.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import type { QuickLinks } from '../../../ui/components/menu/menu.ts'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { ShowOlder } from '../../../ui/components/show-older.tsx'
import { AwakeWord, Bars, Glyph, Status } from '../../../ui/components/status.tsx'
import { type Answer, type PagedQuery, whenDone } from '../../../ui/data/call.ts'
import { useRefetchInterval } from '../../../ui/data/live.ts'
import { hasFailed } from '../../../ui/data/query.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import type { Figures, Health, ListedIncident } from '../../contract.ts'
import { figuresQuery, openIncidentsQuery, recentQuery, useRunNow } from '../calls.ts'
import { listPath, modifyPath } from '../head.tsx'
import type { Item, PageNames } from '../tool-pages.ts'
import css from './at-home.module.css'
import { RecentRuns } from './recent-runs.tsx'
import { healthLabels, isTrouble, Since } from './status.tsx'

export type HomeTool = {
  card: { to: string; label: string; Icon: LucideIcon; blurb: string }
  ways?: QuickLinks
  /** Set if the tool has entries; other tools have a `figure` on their card. */
  names?: PageNames
  figure?: ReactNode
  /** Shown under "Coming up". */
  soon?: ReactNode
}
type LoadedTool = {
  tool: PageNames
  figures: Figures | undefined
  runs: Answer<'GET /api/v1/:tool/recent'> | undefined
}

export function Dashboard(props: {
  tools: readonly HomeTool[]
  /** The steps that a new server still needs, above the rest of Home while there are no entries. */
  steps: ((isNew: boolean, rest?: ReactNode) => ReactNode) | undefined
}) {
  const { tools, steps } = props
  const withEntries = tools.flatMap(({ names }) => names ?? [])
  const refetchInterval = useRefetchInterval()
  const incidents = useInfiniteQuery({ ...openIncidentsQuery(withEntries), refetchInterval })
  const figures = useQueries({ queries: withEntries.map((tool) => ({ ...figuresQuery(tool), refetchInterval })) })
  const runs = useQueries({ queries: withEntries.map((tool) => ({ ...recentQuery(tool), refetchInterval })) })
  const queries = [incidents, ...figures, ...runs]
  const hasFailedPart = queries.some((query) => query.data === undefined && hasFailed(query))
  // Wait for all data: parts that arrive later would move those below them.
  if (queries.some((query) => query.isPending && !hasFailed(query))) return null
  const loaded = withEntries.map((tool, at): LoadedTool => ({ tool, figures: figures[at]?.data, runs: runs[at]?.data }))
  const all = sumOf(loaded)
  const isNew = loaded.every(({ figures }) => figures?.total === 0)
  const hasFigures = loaded.every(({ figures }) => figures)
  const hasRuns = loaded.every(({ runs }) => runs)
  const open = incidents.data ?? []
  const cards = (
    <ul className={css.tools} aria-label="Tools">
      {tools.map((tool) => (
        <Tool
          key={tool.card.to}
          tool={tool}
          loaded={loaded.find(({ tool: { id } }) => id === tool.names?.id)}
          isBrief={!isNew && hasFigures}
        />
      ))}
    </ul>
  )
  const rest = (
    <>
      {!isNew && hasFigures && <Numbers loaded={loaded} all={all} />}
      {cards}
      {!isNew && (
        <Suspense>
          <div className={css.lower}>
            {hasRuns && <RecentRuns tools={loaded} />}
            <div className={css.side}>
              <Card className={css.soon} aria-label="Coming up">
                <h2>Coming up</h2>
                <ul>{tools.map(({ soon }) => soon)}</ul>
              </Card>
              {steps?.(false)}
            </div>
          </div>
        </Suspense>
      )}
    </>
  )
  return (
    <div className={css.home}>
      {open.length > 0 && <OpenIncidents incidents={open} tools={withEntries} query={incidents} />}
      <LoadFailed card what="the state of your entries" queries={queries} />
      {!hasFailedPart && open.length === 0 && !isNew && <NoOpenIncident loaded={loaded} all={all} />}
      {isNew && steps ? steps(true, rest) : rest}
    </div>
  )
}

const none: Figures = { active: 0, inactive: 0, total: 0, failing: 0, blocked: 0, paused: 0, new: 0, ok: 0 }
const sumOf = (loaded: readonly LoadedTool[]): Figures =>
  loaded.reduce(
    (sum, { figures = none }) =>
      Object.fromEntries(
        (Object.keys(none) as (keyof Figures)[]).map((key) => [key, sum[key] + figures[key]]),
      ) as Figures,
    none,
  )

const few = 5

function OpenIncidents(props: {
  incidents: readonly ListedIncident[]
  tools: readonly PageNames[]
  query: PagedQuery
}) {
  const { incidents, tools, query } = props
  const [showsAll, setAll] = useState(false)
  const visible = showsAll ? incidents : incidents.slice(0, few)
  const count = query.hasNextPage ? `More than ${formatCount(incidents.length)}` : formatCount(incidents.length)
  return (
    <section className={css.open} aria-label="Open incidents">
      <h2>
        <Glyph state="failing" />
        {incidents.length === 1 ? '1 open incident' : `${count} open incidents`}
      </h2>
      <ol>
        {visible.map((incident) => (
          <Incident key={incident.id} incident={incident} tool={tools.find(({ id }) => id === incident.tool)} />
        ))}
      </ol>
      {incidents.length > visible.length && (
        <Button size="small" onClick={() => setAll(true)}>
          {query.hasNextPage ? `Show the newest ${incidents.length}` : `Show all ${incidents.length}`}
        </Button>
      )}
      {showsAll && <ShowOlder query={query} />}
    </section>
  )
}

const notifyStarted = ({ waitingSince }: Answer<'POST /api/v1/:tool/run?id'>) =>
  void (waitingSince === null && notifySuccess('Run started.'))

function Incident({ incident, tool }: { incident: ListedIncident; tool: PageNames | undefined }) {
  const { entry, name, about, since, cause, blocked, awake, recent } = incident
  const title = titleOf({ name, about })
  const run = useRunNow()
  const runs = useDefaultInterval(incident.tool) !== undefined
  if (!tool) return null
  return (
    <li>
      <span className={css.what}>
        <Link to={modifyPath(tool)} search={{ id: entry }} dir="auto" title={title}>
          {title}
        </Link>
        <small>{name === null ? tool.label : `${tool.label} · ${about}`}</small>
      </span>
      <span className={css.why}>
        <b>
          <Since word={blocked ? 'Blocked' : 'Failing'} at={since} />
          <AwakeWord awake={awake} text={cause} />
        </b>
        <small title={cause}>{cause}</small>
      </span>
      <span className={css.runs}>
        <Bars runs={recent ?? []} />
      </span>
      <span className={css.acts}>
        {runs && (
          <Button
            size="small"
            disabled={run.isPending}
            onClick={() => void whenDone(run.mutateAsync({ tool: tool.id, id: entry }), notifyStarted)}
          >
            Run now<span className="sr"> {title}</span>
          </Button>
        )}
        <Link to={modifyPath(tool)} search={{ id: entry }} className={buttonClass({ size: 'small' })}>
          Open<span className="sr"> {title}</span>
        </Link>
      </span>
    </li>
  )
}

const up = { works: 'up' }

function NoOpenIncident({ loaded, all }: { loaded: readonly LoadedTool[]; all: Figures }) {
  if (all.failing + all.blocked > 0) return <NoIncidentYet loaded={loaded} count={all.failing + all.blocked} />
  const rest = [
    all.ok > 0 && (all.ok === 1 ? '1 entry is up' : `${formatCount(all.ok)} entries are up`),
    all.paused > 0 && `${formatCount(all.paused)} paused`,
    all.new > 0 && `${formatCount(all.new)} new`,
  ].filter((part) => part !== false)
  return (
    <p className={css.calm}>
      <Status state="ok" size="m" word="All good">
        {rest.join(', ')}
      </Status>
    </p>
  )
}

/** Number of failing entries named per tool; its list shows the others. */
const named = 2

function NoIncidentYet({ loaded, count }: { loaded: readonly LoadedTool[]; count: number }) {
  const failing = loaded.map(({ tool, figures = none, runs }) => {
    const items = (runs?.rows ?? []).filter(({ health }) => isTrouble(health)).slice(0, named)
    return { tool, items, others: figures.failing + figures.blocked - items.length }
  })
  const links = failing.flatMap(({ tool, items, others }) => [
    ...items.map((item) => (
      <Link key={item.id} to={modifyPath(tool)} search={{ id: item.id }} className={css.bad} dir="auto">
        {titleOf(item)}
      </Link>
    )),
    others > 0 && (
      <Link key={tool.id} to={listPath(tool)} search={{ health: 'failing' }} className={css.bad}>
        {formatCount(others)} {items.length > 0 && 'more '}in {tool.label}
      </Link>
    ),
  ])
  const parts = links.filter((link) => link !== false)
  const only = count === 1 ? failing.flatMap(({ items }) => items)[0] : undefined
  return (
    <p className={css.calm}>
      <Status
        state="failing"
        size="m"
        word={
          <>
            {parts.map((link, at) => (
              <Fragment key={link.key}>
                {at > 0 && (at === parts.length - 1 ? ' and ' : ', ')}
                {link}
              </Fragment>
            ))}{' '}
            {count === 1 ? 'is' : 'are'} failing
          </>
        }
      >
        {only ? untilIncident(only) : 'an incident opens after the number of failed runs in “Notify after”'}
      </Status>
    </p>
  )
}

function untilIncident({ notifyAfter, failingSince, recent = [] }: Item): string {
  const failed = recent.filter(({ timestamp }) => failingSince !== null && timestamp >= failingSince).length
  const more = Math.max(1, notifyAfter - failed)
  return more === 1
    ? '1 more failed run opens an incident and notifies the owner'
    : `${more} more failed runs open an incident and notify the owner`
}

export function ToolState({ tool }: { tool: PageNames }) {
  const refetchInterval = useRefetchInterval()
  const { data } = useQuery({ ...figuresQuery(tool), refetchInterval })
  const counts = data ? countsOf(data, tool.works) : []
  const words = counts.slice(0, 2).map(({ words }) => words)
  if (data?.total === 0) words.push('No entries yet')
  return <span data-hint={words.join(' · ') || '\u00a0'} data-bad={counts[0]?.isBad || undefined} />
}

const worstFirst: readonly Health[] = ['failing', 'blocked', 'ok', 'paused', 'new']

const countsOf = (figures: Figures, works: string) =>
  worstFirst
    .filter((health) => figures[health] > 0)
    .map((health) => ({
      health,
      words: `${formatCount(figures[health])} ${healthLabels({ works })[health].toLowerCase()}`,
      isBad: isTrouble(health),
    }))

/** Failing and blocked ones first, with links to them. */
function Counts({ figures, works, tool }: { figures: Figures; works: string; tool?: PageNames | undefined }) {
  return countsOf(figures, works).map(({ health, words, isBad }, at) => (
    <Fragment key={health}>
      {at > 0 && ' · '}
      {isBad && tool && (
        <Link to={listPath(tool)} search={{ health }} className={css.bad}>
          {words}
        </Link>
      )}
      {isBad && !tool && <b className={css.bad}>{words}</b>}
      {!isBad && words}
    </Fragment>
  ))
}

function Numbers({ loaded, all }: { loaded: readonly LoadedTool[]; all: Figures }) {
  return (
    <Card className={css.numbers} aria-label="Numbers">
      <dl>
        <div>
          <dt>Entries</dt>
          <dd>{formatCount(all.total)}</dd>
          <dd>
            <Counts figures={all} {...up} />
          </dd>
        </div>
        {loaded.map(
          ({ tool, figures, runs }) =>
            runs &&
            figures !== undefined &&
            figures.total > 0 && (
              <div key={tool.id}>
                <dt>{tool.today}</dt>
                <dd>{formatCount(runs.today.ok + runs.today.fail)}</dd>
                <dd>{runs.today.fail === 0 ? 'None failed' : `${formatCount(runs.today.fail)} failed`}</dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  )
}

function Tool(props: { tool: HomeTool; loaded: LoadedTool | undefined; isBrief: boolean }) {
  const { loaded } = props
  const { card, ways, figure } = props.tool
  const { to, label, Icon, blurb } = card
  const lastRun = loaded?.runs?.rows[0]?.lastRun
  return (
    <li>
      <header>
        <span className={css.icon} aria-hidden="true">
          <Icon size={16} />
        </span>
        <h2>
          <Link to={to}>{label}</Link>
        </h2>
        {ways && <ToolQuickLinks ways={ways} label={label} />}
      </header>
      {!props.isBrief && <p>{blurb}</p>}
      {figure ? (
        <div className={css.figure}>
          <Suspense>{figure}</Suspense>
        </div>
      ) : (
        <p>
          {loaded?.figures?.total === 0 && (
            <>
              No entries yet
              {ways?.create && (
                <>
                  {' · '}
                  <Link to={ways.create} className={linkClass}>
                    Create one<span className="sr"> in {label}</span>
                  </Link>
                </>
              )}
            </>
          )}
          {loaded?.figures && <Counts figures={loaded.figures} works={loaded.tool.works} tool={loaded.tool} />}
        </p>
      )}
      {lastRun && (
        <p className={css.last}>
          <Bars runs={loaded.runs?.recent ?? []} />
          <Ago at={lastRun.timestamp} />
        </p>
      )}
    </li>
  )
}

const ToolQuickLinks = ({ ways, label }: { ways: QuickLinks; label: string }) =>
  [
    { to: ways.list, words: ways.listLabel ?? 'All entries', Icon: List },
    { to: ways.create, words: 'New entry', Icon: Plus },
  ].map(
    ({ to, words, Icon }) =>
      to !== undefined && (
        <Link key={to} to={to} className={iconButtonClass} aria-label={words} aria-description={label} title={words}>
          <Icon size={17} aria-hidden="true" />
        </Link>
      ),
  )
