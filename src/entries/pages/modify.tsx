import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { titleOf } from '../../shared/title.ts'
import { Loading } from '../../ui/components/page/logo.tsx'
import { statusOf } from '../../ui/data/api.ts'
import { useRefreshEvery } from '../../ui/data/live.ts'
import { foundBy } from '../../ui/data/query.ts'
import { useSlow } from '../../ui/debounce.ts'
import { FindForm } from '../../ui/form/address/find-form.tsx'
import { useTitle } from '../../ui/navigation/title.ts'
import { LastEntries } from './aside/last-entries.tsx'
import { entryQuery } from './calls.ts'
import { EntryEditor } from './entry-editor.tsx'
import { modifyPath, ToolHead } from './head.tsx'
import type { Detail, EntryScreens, Item } from './tool-pages.ts'

/** Finds an entry by its id, to edit, run or delete it. */
export function ModifyPage<Row extends Item, Entry extends Detail, Settings extends object>({
  screens,
}: {
  screens: EntryScreens<Row, Entry, Settings>
}) {
  const { contract } = screens
  const navigate = useNavigate()
  const { id }: { id?: string } = useSearch({ strict: false })
  const refetchInterval = useRefreshEvery()
  const query = useQuery({
    ...entryQuery<Entry>(contract, id ?? ''),
    enabled: Boolean(id),
    refetchInterval: (asked) => (asked.state.status === 'error' ? false : refetchInterval),
  })
  // The form to find another entry stays while one that could not be loaded is asked for again.
  const isLoading = query.isLoading && query.errorUpdateCount === 0
  const slow = useSlow(isLoading)
  const find = (wanted: string) => {
    if (wanted === id) void query.refetch()
    else void navigate({ to: modifyPath(contract), search: { id: wanted } })
  }
  const entry = id ? foundBy(query) : undefined
  useTitle(entry ? titleOf(entry) : `Modify ${contract.label}`)
  return (
    <>
      <ToolHead tool={contract} title={entry ? titleOf(entry) : 'Modify'}>
        {entry ? 'Edit this entry, see its history, or delete it.' : 'Find an entry by its ID to edit or delete it.'}
      </ToolHead>
      {entry && (
        <EntryEditor key={entry.id} screens={screens} entry={entry} isDeleted={statusOf(query.error) === 404} />
      )}
      {!entry && isLoading && slow && <Loading />}
      {!entry && !isLoading && (
        <>
          <FindForm key={id} label="Enter your ID" wanted={id ?? ''} onFind={find} />
          <LastEntries tool={contract} />
        </>
      )}
    </>
  )
}
