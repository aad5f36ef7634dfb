import { formatAge, formatTime, inZone } from '../../../ui/format-time.ts'
import { LongText } from '../../../ui/table/cells.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { type AuditEntry, auditActions } from '../../audit/contract.ts'
import { changeText } from './changes.ts'

const textColumn = (key: string, title: string, text: (entry: AuditEntry) => string): Column<AuditEntry> => ({
  key,
  title,
  filter: 'fuzzy',
  value: text,
  text,
})

const when: Column<AuditEntry> = {
  key: 'when',
  title: 'When',
  filter: 'fuzzy',
  value: (entry) => entry.at,
  text: (entry) => formatTime(entry.at),
  tip: (entry) => inZone(formatAge(entry.at), entry.at),
}
const changes: Column<AuditEntry> = {
  ...textColumn('changes', 'Changes', changeText),
  filter: 'includesString',
  show: (entry) => <LongText text={changeText(entry)} />,
}

/** The columns of the audit log; together they are as wide as the page. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  when,
  textColumn('who', 'Who', (entry) => entry.actor),
  { ...textColumn('what', 'What', (entry) => auditActions[entry.action]), lead: true, width: 168 },
  textColumn('whom', 'Whom', (entry) => entry.target ?? '–'),
  changes,
  textColumn('from', 'From', ({ address, device }) => [address, device].filter(Boolean).join(', ') || '–'),
]
