import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/components/button.tsx'
import { PageHead } from '../../ui/components/page.tsx'
import { useTitle } from '../../ui/navigation/title.ts'
import css from './pages.module.css'
import type { EntryScreens } from './tool-pages.ts'

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
