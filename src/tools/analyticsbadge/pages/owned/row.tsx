import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { formatCount } from '../../../../shared/count.ts'
import { Button } from '../../../../ui/components/button.tsx'
import { Moment } from '../../../../ui/components/moment.tsx'
import { Tag } from '../../../../ui/components/pill.tsx'
import table from '../../../../ui/components/small-table.module.css'
import type { OwnedBadge } from '../../contract.ts'
import { analyticsbadgeNames } from '../../terms.ts'
import css from './owned.module.css'
import { Sparkline } from './sparkline.tsx'

type Opener = ComponentProps<typeof Button>
type RowProps = { badge: OwnedBadge; edit: Opener; reset: Opener; release: Opener }

export function OwnedRow({ badge, edit, reset, release }: RowProps) {
  const { tag, views, base, hidden, today, week, month, recent, lastView } = badge
  return (
    <tr>
      <td title={tag}>
        <span className={table.lead}>
          <span>
            <Link to={`/tools/${analyticsbadgeNames.id}`} search={{ tag }} className={css.tag}>
              {tag}
            </Link>
          </span>
          {hidden && <Tag text="Hidden" />}
        </span>
      </td>
      <td data-label="Last 30 days">
        <Sparkline tag={tag} numbers={recent} />
      </td>
      <td data-label="Total" title={base > 0 ? `Includes a base of ${formatCount(base)}` : undefined}>
        {formatCount(views)}
      </td>
      <td data-label="Today">{formatCount(today)}</td>
      <td data-label="7 days">{formatCount(week)}</td>
      <td data-label="30 days">{formatCount(month)}</td>
      <td data-label="Last view">
        <Moment at={lastView} never="None yet" />
      </td>
      <td className={table.acts}>
        <span>
          <Button size="small" aria-label={`Edit ${tag}`} {...edit}>
            Edit
          </Button>
          <Button size="small" aria-label={`Reset ${tag}`} {...reset}>
            Reset
          </Button>
          <Button size="small" aria-label={`Release ${tag}`} {...release}>
            Release
          </Button>
        </span>
      </td>
    </tr>
  )
}
