import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Fragment } from 'react'
import { AdminHead } from '../../people/pages/admin-head.tsx'
import { pages } from '../../shared/pages.ts'
import { Button, buttonClass } from '../../ui/components/button.tsx'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Loading } from '../../ui/components/logo.tsx'
import { Part, PartHead } from '../../ui/components/page.tsx'
import { callQuery } from '../../ui/data/call.ts'
import { useSlow } from '../../ui/debounce.ts'
import { withLocalTimes } from '../../ui/format-time.ts'
import type { Area, SelfCheckFinding } from '../contract.ts'
import css from './health.module.css'

/** The findings of the self-check: first those that need attention, then the good ones. */
export function HealthPage() {
  const query = useQuery(callQuery('GET /api/v1/admin/health'))
  const { data, isLoading, isFetching, refetch } = query
  const slow = useSlow(isLoading)
  return (
    <>
      <AdminHead title="Health">How this server is doing, and what to improve.</AdminHead>
      {slow && <Loading />}
      <LoadFailed card what="the checks" queries={[query]} />
      {data && <Findings findings={data} busy={isFetching} onAgain={() => void refetch()} />}
    </>
  )
}

type FindingsProps = { findings: readonly SelfCheckFinding[]; busy: boolean; onAgain: () => void }

function Findings({ findings, busy, onAgain }: FindingsProps) {
  const problems = findings.filter(({ state }) => state === 'problem')
  const warnings = findings.filter(({ state }) => state === 'warning')
  const fine = findings.filter(({ state }) => state === 'ok')
  const amiss = [...problems, ...warnings]
  return (
    <div className={css.parts}>
      <Part aria-label="Needs attention">
        <PartHead>
          <h2>
            <span role="status">{verdict(problems.length, warnings.length)}</span>
          </h2>
          <Button size="small" disabled={busy} onClick={onAgain}>
            Check again
          </Button>
        </PartHead>
        {amiss.length > 0 && <List findings={amiss} />}
      </Part>
      {fine.length > 0 && (
        <Part aria-label="All good">
          <h2>All good</h2>
          <List findings={fine} />
        </Part>
      )}
    </div>
  )
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function verdict(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'All good'
  return [
    ...(problems > 0 ? [counted(problems, 'problem')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ')
}

const List = ({ findings }: { findings: readonly SelfCheckFinding[] }) => (
  <ul className={css.list}>
    {[...Map.groupBy(findings, ({ area, state }) => `${area} ${state}`)].map(([key, alike]) => (
      <Row key={key} findings={alike} />
    ))}
  </ul>
)

const looks: Record<SelfCheckFinding['state'], { Icon: LucideIcon; word: string }> = {
  ok: { Icon: CircleCheck, word: 'Good' },
  warning: { Icon: TriangleAlert, word: 'Warning' },
  problem: { Icon: CircleX, word: 'Problem' },
}

/** The pages with more about an area. */
const places: { [Place in Area]?: { to: string; label: string } } = {
  Proxy: { to: pages.audit.path, label: 'Audit log' },
  Admins: { to: pages.users.path, label: 'Users' },
  Backups: { to: pages.backups.path, label: 'Backups' },
}

function Row({ findings }: { findings: readonly SelfCheckFinding[] }) {
  const [first] = findings
  if (!first) return null
  const { area, state } = first
  const { Icon, word } = looks[state]
  const place = findings.some(({ todo }) => todo !== undefined) ? places[area] : undefined
  return (
    <li data-state={state}>
      <Icon size={18} aria-hidden="true" />
      <b>
        <span className="sr">{word}: </span>
        {area}
      </b>
      <div>
        {findings.map(({ what, todo }) => (
          <Fragment key={what}>
            <p>{withLocalTimes(what)}</p>
            {todo && <p className={css.todo}>{todo}</p>}
          </Fragment>
        ))}
      </div>
      {place && (
        <Link to={place.to} className={buttonClass({ size: 'small' })}>
          {place.label}
        </Link>
      )}
    </li>
  )
}
