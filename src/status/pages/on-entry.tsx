import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { pages } from '../../shared/pages.ts'
import { buttonClass } from '../../ui/components/button.tsx'
import { Part, PartHead } from '../../ui/components/page.tsx'
import { Snippet } from '../../ui/components/snippet.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { pageQuery } from './calls.ts'

/** The page can contain only its owner's entries. */
export function OnStatusPage({ entry }: { entry: { id: string; owner: string } }) {
  const isOwn = useSessionUser()?.email === entry.owner
  const { data: page } = useQuery({ ...pageQuery, enabled: isOwn })
  if (!isOwn || !page) return null
  const pageEntry = page.entries.find(({ id }) => id === entry.id)
  const isShown = pageEntry !== undefined
  const publicName = pageEntry?.name ?? pageEntry?.entryName ?? null
  return (
    <Part aria-label="Status page">
      <PartHead>
        <h2>Status page</h2>
        <Link to={pages.status.path} className={buttonClass({ size: 'small' })}>
          {linkLabel(page.slug, isShown)}
        </Link>
      </PartHead>
      {page.url !== null && isShown ? (
        <>
          <p>
            Visitors of {page.title} see this entry{publicName !== null && ` as “${publicName}”`}.
          </p>
          <Snippet title="Address" text={page.url} />
          <div>
            <a href={page.url} target="_blank" rel="noreferrer" className={buttonClass({ size: 'small' })}>
              <ExternalLink size={14} aria-hidden="true" />
              Open status page
            </a>
          </div>
        </>
      ) : (
        <p>
          {page.slug === null ? 'A status page shows visitors how your entries are doing.' : 'Not on a status page.'}
        </p>
      )}
    </Part>
  )
}

function linkLabel(slug: string | null, isShown: boolean): string {
  if (slug === null) return 'Create status page'
  return isShown ? 'Edit status page' : 'Add to status page'
}
