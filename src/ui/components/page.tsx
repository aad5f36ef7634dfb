import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './page.module.css'
import surface from './surface.module.css'

type Tab = { to: string; label: string; search?: Readonly<Record<string, unknown>> }

/** The head of a screen: a link to its parent, its title, a short description, and tabs to its siblings. */
export function PageHead(props: {
  above?: Tab
  title: string
  status?: ReactNode
  /** Whether a long title is truncated, so that the content below doesn't move when the title is loaded. */
  oneLine?: boolean
  children?: ReactNode
  tabs?: readonly Tab[]
  /** Actions on the screen's subject; their space is reserved until they are known. */
  acts?: ReactNode
  tabsLabel?: string
}) {
  return (
    <header className={css.head}>
      <div>
        {props.above && (
          <p className={css.above}>
            <ChevronLeft size={13} aria-hidden="true" />
            <Link to={props.above.to} {...(props.above.search && { search: props.above.search })}>
              {props.above.label}
            </Link>
          </p>
        )}
        <div className={css.title}>
          <h1 {...(props.oneLine && { className: css.cut, title: props.title })}>{props.title}</h1>
          {'status' in props && <div className={css.status}>{props.status}</div>}
        </div>
        {props.children && <p className={css.lead}>{props.children}</p>}
      </div>
      {props.tabs && <Tabs label={props.tabsLabel ?? 'This tool'} tabs={props.tabs} />}
      {'acts' in props && <div className={css.acts}>{props.acts}</div>}
    </header>
  )
}

function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          {...(tab.search && { search: tab.search })}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}

type CardProps = { children: ReactNode; className?: string | undefined; 'aria-label'?: string }

export function Card({ children, className, ...rest }: CardProps) {
  return (
    <section className={className ? `${surface.card} ${className}` : surface.card} {...rest}>
      {children}
    </section>
  )
}

/** A card whose contents are stacked. */
export const Part = ({ className, ...rest }: CardProps) => (
  <Card {...rest} className={className ? `${css.part} ${className}` : css.part} />
)

export const PartHead = ({ children }: { children: ReactNode }) => <div className={css.partHead}>{children}</div>

/** A screen with a single message, on the pegboard background. */
export const MessageScreen = ({ children }: { children: ReactNode }) => <div className={css.void}>{children}</div>
