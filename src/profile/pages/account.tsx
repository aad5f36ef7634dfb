import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pagesIn } from '../../shared/pages.ts'
import { EntryIcon } from '../../ui/components/menu/menu-icons.tsx'
import { PageHead } from '../../ui/components/page.tsx'
import surface from '../../ui/components/surface.module.css'
import { useScreenUser } from '../../ui/data/session.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import css from './account.module.css'

/** The layout of the account screens: links to all of them next to the sections of the current one. */
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
