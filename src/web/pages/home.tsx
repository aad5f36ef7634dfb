import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSessionUser } from '../session.ts'
import { useTitle } from '../title.ts'
import css from './home.module.css'

export type ToolCard = { to: string; label: string; Icon: LucideIcon; blurb: string }

/** The first screen: a word to whoever is there, and the tools on their pegs. */
export function HomePage({ tools, children }: { tools: readonly ToolCard[]; children?: ReactNode }) {
  useTitle('Home')
  return (
    <>
      <div className={css.board} />
      <Greeting />
      <ul className={css.bench} aria-label="Tools">
        {tools.map((tool) => (
          <li key={tool.to}>
            <Tool tool={tool} />
          </li>
        ))}
      </ul>
      {children}
    </>
  )
}

function Greeting() {
  const user = useSessionUser()
  return (
    <div className={css.hero}>
      {user && (
        <h1>
          Welcome <Link to="/user">{user.name}</Link>
        </h1>
      )}
      {user === null && (
        <>
          <h1>It's hard to know who anyone is</h1>
          <p className={css.lead}>
            Please <Link to="/auth/signin/{-$user}">sign in</Link>
          </p>
        </>
      )}
      {user && <p className={css.lead}>Small tools, each doing one job well, on a machine that is yours.</p>}
    </div>
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
