import { formatCount } from '../../shared/count.ts'
import { Button } from '../components/button.tsx'
import small from '../form/small-select.module.css'
import css from './pager.module.css'

export const pageSizes = [10, 20, 30, 40, 50] as const

function countText(rows: number | undefined): string {
  if (rows === undefined) return ''
  return rows === 1 ? '1 row' : `${formatCount(rows)} rows`
}

export function Pager(props: {
  rows: number | undefined
  failed: boolean
  page: number
  pages: number
  size: number
  onPage: (page: number) => void
  onSize: (size: number) => void
}) {
  const { page, pages, size, onPage, onSize } = props
  const reading = props.rows === undefined && !props.failed
  const atStart = page <= 1
  const atEnd = page >= pages
  return (
    <nav className={css.pager} data-reading={reading || undefined} aria-label="Pages">
      <span className={css.count} role="status">
        {countText(props.rows)}
      </span>
      <div className={css.steps}>
        <Button size="small" title="First page" disabled={atStart} onClick={() => onPage(1)}>
          First
        </Button>
        <Button size="small" title="Previous page" disabled={atStart} onClick={() => onPage(page - 1)}>
          &lt;
        </Button>
        <span className={css.at} aria-live="polite">
          {page} of {pages}
        </span>
        <Button size="small" title="Next page" disabled={atEnd} onClick={() => onPage(page + 1)}>
          &gt;
        </Button>
        <Button size="small" title="Last page" disabled={atEnd} onClick={() => onPage(pages)}>
          Last
        </Button>
      </div>
      <label className={css.size}>
        Rows
        <select
          className={small.select}
          aria-label="Rows per page"
          value={size}
          onChange={(event) => onSize(Number(event.target.value))}
        >
          {pageSizes.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
    </nav>
  )
}
