import { formatAge, formatTime } from '../../../../ui/format-time.ts'
import { LongText } from '../../../../ui/table/cells.tsx'
import type { Column } from '../../../../ui/table/column.ts'
import { type AuditEntry, auditActions } from '../../../audit/contract.ts'
import { changeText } from './changes.ts'

const said = (key: string, title: string, text: (entry: AuditEntry) => string): Column<AuditEntry> => ({
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
  tip: (entry) => formatAge(entry.at),
}
const changes: Column<AuditEntry> = {
  ...said('changes', 'Changes', changeText),
  filter: 'includesString',
  show: (entry) => <LongText text={changeText(entry)} />,
}

/** Who did what to whom, when and from where; side by side they are as wide as the page. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  when,
  said('who', 'Who', (entry) => entry.actor),
  { ...said('what', 'What', (entry) => auditActions[entry.action]), lead: true, width: 168 },
  said('whom', 'Whom', (entry) => entry.target ?? '–'),
  changes,
  said('from', 'From', (entry) => entry.address ?? '–'),
]
