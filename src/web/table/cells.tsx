import type { Column } from './column.ts'
import css from './table.module.css'

export function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <td>
      <span className={css.truncated} title={column.tip?.(row) ?? column.text(row)}>
        {column.show?.(row) ?? column.text(row)}
      </span>
    </td>
  )
}

const ghosts = Array.from({ length: 6 }, (_, row) => row)
/** Rows to come. */
export function Skeleton({ columns }: { columns: number }) {
  return ghosts.map((row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <td key={column}>
          <div className={css.ghost} />
        </td>
      ))}
    </tr>
  ))
}

export const NoMatch = () => (
  <>
    <strong>Nothing found</strong>
    <span>No row matches the search.</span>
  </>
)
