import { Link } from '@tanstack/react-router'
import { useTitle } from '../../web/title.ts'
import { buttonClass } from '../../web/ui/button.tsx'
import { PageHead } from '../../web/ui/page.tsx'
import css from './pages.module.css'
import type { EntryScreens } from './tool-pages.ts'

/** What a tool does, and the three ways on. */
export function AboutPage({ screens: { contract, About } }: { screens: Pick<EntryScreens, 'contract' | 'About'> }) {
  useTitle(contract.label)
  const root = `/tools/${contract.id}`
  return (
    <>
      <PageHead title={contract.label} />
      <nav className={css.ways} aria-label="This tool">
        <Link to={`${root}/create`} className={buttonClass({ tone: 'primary' })}>
          Create
        </Link>
        <Link to={`${root}/viewlist`} className={buttonClass()}>
          View list
        </Link>
        <Link to={`${root}/modify`} className={buttonClass()}>
          Modify
        </Link>
      </nav>
      <About />
    </>
  )
}
