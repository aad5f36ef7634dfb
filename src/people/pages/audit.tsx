import { type InfiniteData, infiniteQueryOptions, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { ShowOlder } from '../../ui/components/show-older.tsx'
import { call, olderPages } from '../../ui/data/call.ts'
import { hasFailed } from '../../ui/data/query.ts'
import { LongText } from '../../ui/table/cells.tsx'
import { type Column, columnOf } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useList } from '../../ui/table/list-state.ts'
import { type AuditEntry, auditActions, auditPage } from '../audit/contract.ts'
import css from './admin.module.css'
import { AdminHead } from './admin-head.tsx'
import { changeText } from './changes.ts'

/** Returns the page of older entries if it is loaded already: they never change, so they aren't fetched again. */
function olderIsHere(client: QueryClient, before: number | undefined): AuditEntry[] | undefined {
  const cached = before === undefined ? undefined : client.getQueryData<Pages>(auditKey)
  return cached?.pages.find((_page, index) => cached.pageParams[index]?.before === before)
}

type Pages = InfiniteData<AuditEntry[], { before?: number }>
const auditKey = ['GET /api/v1/admin/audit']
const auditQuery = infiniteQueryOptions({
  queryKey: auditKey,
  queryFn: ({ pageParam, client }) =>
    olderIsHere(client, pageParam.before) ?? call('GET /api/v1/admin/audit', pageParam),
  // A page ends with all entries of one instant, so the next one begins before it.
  ...olderPages<AuditEntry>(auditPage, ({ at }) => at),
})

export function AuditPage() {
  const list = useList(auditColumns)
  const found = useInfiniteQuery(auditQuery)
  const { data, refetch, hasNextPage } = found
  return (
    <>
      <AdminHead title="Audit Log">
        Sign-ins, and every change to an account, newest first. Entries can't be edited.
      </AdminHead>
      <DataTable
        name="audit"
        caption="Audit log"
        list={list}
        source={{ rows: data, onRetry: hasFailed(found) ? () => void refetch() : undefined }}
        empty={
          <>
            <strong>Nothing here yet</strong>
            <span>Sign-ins and changes are kept here for 400 days, failed sign-ins for 30.</span>
          </>
        }
      />
      {hasNextPage && (
        <div className={css.more}>
          <ShowOlder query={found}>Load older entries</ShowOlder>
          <span>Search and sort apply to loaded rows only.</span>
        </div>
      )}
    </>
  )
}

const fuzzy = (key: string, title: string, value: (entry: AuditEntry) => string) =>
  columnOf(key, { title, search: 'fuzzy' }, { value })

/** The columns of the audit log; together they fill the page's width. */
const auditColumns: readonly Column<AuditEntry>[] = [
  columnOf('when', { title: 'When', search: 'time' }, { value: (entry: AuditEntry) => entry.at }),
  fuzzy('who', 'Who', (entry) => entry.actor),
  { ...fuzzy('what', 'What', (entry) => auditActions[entry.action]), isRowTitle: true, width: 168 },
  fuzzy('whom', 'Target', (entry) => entry.target ?? '–'),
  columnOf(
    'changes',
    { title: 'Changes', search: 'includes' },
    { value: changeText, show: (entry) => <LongText text={changeText(entry)} /> },
  ),
  fuzzy('from', 'From', ({ address, device }) => [address, device].filter(Boolean).join(', ') || '–'),
]
