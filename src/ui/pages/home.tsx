import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { pages } from '../../shared/pages.ts'
import { Button } from '../components/button.tsx'
import { useRefetchInterval } from '../data/live.ts'
import { hasFailed } from '../data/query.ts'
import { useNeedsAdmin } from '../data/server-config.ts'
import { sessionQuery, useScreenUser, useSessionPending } from '../data/session.ts'
import { useTitle } from '../navigation/title.ts'
import css from './home.module.css'

export type ToolCard = { to: string; label: string; Icon: LucideIcon; blurb: string; beside?: ReactNode }

/** The home page: a greeting and `dashboard`, or without one, a greeting with `lead` and the tools on a pegboard. */
export function HomePage(props: {
  tools: readonly ToolCard[]
  lead?: ReactNode
  dashboard?: ReactNode
  children?: ReactNode
}) {
  const { tools, lead, dashboard, children } = props
  useTitle('Home')
  const unknown = useSessionPending()
  const refetchInterval = useRefetchInterval()
  const session = useQuery({
    ...sessionQuery,
    refetchInterval: (query) => query.state.data === undefined && refetchInterval(query),
  })
  const onRetry = session.data === undefined && hasFailed(session) ? () => void session.refetch() : undefined
  if (dashboard)
    return (
      <>
        <Welcome className={css.hello} />
        {dashboard}
      </>
    )
  return (
    <>
      <div className={css.board} />
      <Greeting lead={lead} onRetry={onRetry} />
      <ul className={css.bench} data-unknown={unknown || undefined} aria-label="Tools">
        {tools.map((tool) => (
          <li key={tool.to}>
            <Tool tool={tool} />
            <Suspense>{tool.beside}</Suspense>
          </li>
        ))}
      </ul>
      {children}
    </>
  )
}

function Welcome({ className }: { className?: string | undefined }) {
  const user = useScreenUser()
  return (
    user && (
      <h1 className={className}>
        Welcome <Link to={pages.profile.path}>{user.name}</Link>
      </h1>
    )
  )
}

/** `onRetry` is set if the session couldn't be loaded. */
function Greeting({ lead, onRetry }: { lead: ReactNode; onRetry: (() => void) | undefined }) {
  const user = useScreenUser()
  return (
    <div className={css.hero}>
      <Welcome />
      {onRetry && (
        <>
          <h1>Couldn't load this page</h1>
          <p className={css.lead}>Your data is safe. Try loading it again.</p>
          <p className={css.lead}>
            <Button onClick={onRetry}>Try again</Button>
          </p>
        </>
      )}
      {user === null && <SignedOut />}
      {user && lead && (
        <div className={css.lead}>
          <Suspense>{lead}</Suspense>
        </div>
      )}
    </div>
  )
}

function SignedOut() {
  const needsAdmin = useNeedsAdmin()
  return (
    <>
      <h1>It's hard to know who anyone is</h1>
      <p className={css.lead}>Keep free apps awake, readme images fresh and deploys announced, from your own server.</p>
      <p className={css.lead}>
        Please <Link to={pages.signIn.path}>sign in</Link>
      </p>
      {needsAdmin && (
        <p className={css.lead}>
          There is no admin yet. To create the first one, open the set-up link printed in the server's terminal.
        </p>
      )}
    </>
  )
}

function Tool({ tool: { to, label, Icon, blurb } }: { tool: ToolCard }) {
  return (
    <Link to={to} className={css.tool}>
      <span className={css.icon} aria-hidden="true">
        <Icon size={20} />
      </span>
      <h2>{label}</h2>
      <p>{blurb}</p>
    </Link>
  )
}
