import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import css from './small-table.module.css'

/** The number of columns that fit in half of a desktop screen. */
const few = 4

/** If the table doesn't fit, rows become blocks of cells headed by `data-label`. `act` names the column of buttons. */
export function SmallTable({ heads, act, children }: { heads: readonly string[]; act?: string; children: ReactNode }) {
  return (
    <div className={heads.length <= few ? `${css.frame} ${css.few}` : css.frame}>
      <table className={css.table}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {act && (
              <th scope="col">
                <span className="sr">{act}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

const inSight = 5

/** The first items of a long list, and a button that shows all. A list with only one more is shown completely. */
export function useFold<Item>(items: readonly Item[]) {
  const [open, setOpen] = useState(false)
  const folded = !open && items.length > inSight + 1
  return {
    visibleItems: folded ? items.slice(0, inSight) : items,
    more: folded && (
      <Button size="small" onClick={() => setOpen(true)}>
        Show all {items.length}
      </Button>
    ),
  }
}
