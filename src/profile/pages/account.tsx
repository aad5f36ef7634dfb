import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pagesIn } from '../../shared/pages.ts'
import { EntryIcon } from '../../ui/components/menu/menu-icons.tsx'
import { PageHead } from '../../ui/components/page.tsx'
import surface from '../../ui/components/surface.module.css'
import { useScreenUser } from '../../ui/data/session.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import css from './account.module.css'

/** A screen of one's own account, with links to the others beside its sections. */
export function Account({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  const user = useScreenUser()
  if (!user) return null
  return (
    <>
      <PageHead title={user.name}>Your account</PageHead>
      <div className={css.account}>
        <nav className={`${css.links} ${surface.fades}`} aria-label="Your account">
          {[...pagesIn('own', user), ...pagesIn('bar', user)].map((entry) => (
            <Link key={entry.to} to={entry.to} activeOptions={{ exact: true }}>
              <EntryIcon entry={entry} />
              {entry.label}
            </Link>
          ))}
        </nav>
        <div>{children}</div>
      </div>
    </>
  )
}
