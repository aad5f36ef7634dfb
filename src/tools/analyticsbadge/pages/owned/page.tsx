import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { PageHead, Part } from '../../../../ui/components/page/page.tsx'
import { SmallTable } from '../../../../ui/components/small-table.tsx'
import { laterDialog } from '../../../../ui/navigation/later-dialog.ts'
import { useTitle } from '../../../../ui/navigation/title.ts'
import type { OwnedBadge } from '../../contract.ts'
import { analyticsbadgeNames } from '../../terms.ts'
import { ownedQuery } from '../calls.ts'
import { useFigures } from '../figures.ts'
import { ClaimForm } from './claim-form.tsx'
import css from './owned.module.css'
import { OwnedRow } from './row.tsx'

const useEditModal = laterDialog(async () => (await import('./edit-modal.tsx')).EditModal)
const useResetModal = laterDialog(async () => (await import('./reset-modal.tsx')).ResetModal)
const useReleaseModal = laterDialog(async () => (await import('./release-modal.tsx')).ReleaseModal)

/** The tags that a user has claimed, with their figures. */
export function OwnedPage() {
  useTitle('Your Badges')
  const { data: badges, refetch } = useQuery(ownedQuery)
  const { figures, look } = useFigures(badges?.map(({ tag }) => tag) ?? [])
  const isOutdated = badges?.some(({ tag, views }) => (figures[tag] ?? views) !== views)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each figure and each look is a reason of its own
  useEffect(() => {
    if (isOutdated || look > 0) void refetch()
  }, [isOutdated, figures, look, refetch])
  // The dialogs are of the page: there may be a thousand rows.
  const [badge, setBadge] = useState<OwnedBadge>()
  const [edit, reset, release] = [useEditModal(), useResetModal(), useReleaseModal()]
  const openerOf = (of: OwnedBadge, { opener }: typeof reset | typeof edit) => ({
    ...opener,
    onClick: () => {
      setBadge(of)
      opener.onClick()
    },
  })
  return (
    <>
      <PageHead
        above={{ to: `/tools/${analyticsbadgeNames.id}`, label: analyticsbadgeNames.label }}
        title="Your Badges"
      >
        Only you can change what your badges show
      </PageHead>
      <Part aria-label="Claimed tags">
        <ClaimForm isFirst={badges?.length === 0} />
        {badges?.length === 0 && (
          <p className={css.none}>
            No badges yet. Claim a tag before its first view. Its number then never goes back unless you reset it.
          </p>
        )}
        {badges && badges.length > 0 && (
          <SmallTable heads={['Tag', 'Last 30 days', 'Total', 'Today', '7 days', '30 days', 'Last view']} act="Change">
            {badges.map((one) => (
              <OwnedRow
                key={one.tag}
                badge={one}
                edit={openerOf(one, edit)}
                reset={openerOf(one, reset)}
                release={openerOf(one, release)}
              />
            ))}
          </SmallTable>
        )}
      </Part>
      {badge && edit.Dialog && <edit.Dialog key={badge.tag} badge={badge} open={edit.open} onClose={edit.close} />}
      {badge && reset.Dialog && <reset.Dialog badge={badge} open={reset.open} onClose={reset.close} />}
      {badge && release.Dialog && <release.Dialog badge={badge} open={release.open} onClose={release.close} />}
    </>
  )
}
