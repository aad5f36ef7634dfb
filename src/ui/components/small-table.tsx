import type { ReactNode } from 'react'
import css from './small-table.module.css'

/** So many columns fit half of a desktop. */
const few = 4

/**
 * The table of a card. Where it doesn't fit, each row becomes a block, in which every cell but the first shows its
 * `data-label`. `act` adds a last column of buttons, and is its name for screen readers.
 */
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
