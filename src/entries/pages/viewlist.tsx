import { Link } from '@tanstack/react-router'
import { Copy, Pencil } from 'lucide-react'
import { buttonClass, IconButton, iconButtonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useList } from '../../ui/table/list-state.ts'
import { useRows } from '../../ui/table/rows/use-rows.ts'
import { entryList } from './calls.ts'
import { createPath, modifyPath, ToolHead } from './head.tsx'
import type { Detail, EntryScreens, Item } from './tool-pages.ts'

/** All entries that the user may see. */
export function ViewlistPage<Row extends Item, Entry extends Detail, Settings extends object>({
  screens,
}: {
  screens: EntryScreens<Row, Entry, Settings>
}) {
  const { contract } = screens
  useTitle(`${contract.label} List`)
  const list = useList(screens.columns)
  const source = useRows(entryList(contract.id), list)
  return (
    <>
      <ToolHead tool={contract} title="All entries">
        {screens.listLead}
      </ToolHead>
      <DataTable
        name={contract.id}
        caption={`${contract.label} entries`}
        list={list}
        source={source}
        actions={(row) => <RowActions id={row.id} modify={modifyPath(contract)} />}
        empty={
          <>
            <strong>Nothing here yet</strong>
            <span>Your entries will appear here.</span>
            <Link to={createPath(contract)} className={buttonClass({ tone: 'primary' })}>
              Create an entry
            </Link>
          </>
        }
      />
    </>
  )
}

function RowActions({ id, modify }: { id: string; modify: string }) {
  return (
    <>
      <IconButton label="Copy ID" onClick={() => void copy(id)}>
        <Copy size={15} aria-hidden="true" />
      </IconButton>
      <Link to={modify} search={{ id }} className={iconButtonClass} aria-label="Edit" title="Edit">
        <Pencil size={15} aria-hidden="true" />
      </Link>
    </>
  )
}
