import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { useNeedsAdmin } from '../data/server-config.ts'
import { useScreenUser, useSessionPending } from '../data/session.ts'
import { useTitle } from '../navigation/title.ts'
import css from './home.module.css'

export type ToolCard = {
  to: string
  label: string
  Icon: LucideIcon
  blurb: string
  figure?: ReactNode
  trouble?: ReactNode
  beside?: ReactNode
}

/**
 * The first screen: a greeting, and the tools on a pegboard. `lead` stands in place of the line below the greeting;
 * `first` puts something above all the rest.
 */
export function HomePage(props: {
  tools: readonly ToolCard[]
  lead?: ReactNode
  first?: (rest: ReactNode) => ReactNode
  children?: ReactNode
}) {
  const { tools, lead, first = (rest) => rest, children } = props
  useTitle('Home')
  const unknown = useSessionPending()
  return (
    <>
      <div className={css.board} />
      <Greeting lead={lead} />
      {first(
        <>
          <ul className={css.bench} data-unknown={unknown || undefined} aria-label="Tools">
            {tools.map((tool) => (
              <li key={tool.to}>
                <Tool tool={tool} />
                <Suspense>{tool.trouble}</Suspense>
                <Suspense>{tool.beside}</Suspense>
              </li>
            ))}
          </ul>
          {children}
        </>,
      )}
    </>
  )
}

function Greeting({ lead }: { lead: ReactNode }) {
  const user = useScreenUser()
  return (
    <div className={css.hero}>
      {user && (
        <h1>
          Welcome <Link to="/user">{user.name}</Link>
        </h1>
      )}
      {user === null && <SignedOut />}
      {user && !lead && <p className={css.lead}>Small tools that each do one job well, on your own server.</p>}
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
      <p className={css.lead}>
        Please <Link to="/auth/signin/{-$user}">sign in</Link>
      </p>
      {needsAdmin && (
        <p className={css.lead}>
          There is no admin yet. To create the first one, open the set-up link printed in the server's terminal.
        </p>
      )}
    </>
  )
}

function Tool({ tool: { to, label, Icon, blurb, figure } }: { tool: ToolCard }) {
  return (
    <Link to={to} className={css.tool}>
      <span className={css.icon} aria-hidden="true">
        <Icon size={20} />
      </span>
      <h2>{label}</h2>
      <p>{blurb}</p>
      {figure && (
        <p className={css.figure}>
          <Suspense>{figure}</Suspense>
        </p>
      )}
    </Link>
  )
}
