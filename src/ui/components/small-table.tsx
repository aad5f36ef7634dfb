import type { ReactNode } from 'react'
import css from './small-table.module.css'

/**
 * The table of a card: side by side where it fits, else a block a row, in which each cell but the first carries its
 * head as `data-label`. `act` names a last column of buttons for whoever cannot see it.
 */
export function SmallTable({ heads, act, children }: { heads: readonly string[]; act?: string; children: ReactNode }) {
  return (
    <div className={css.frame}>
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
