import { formatCount } from '../../shared/count.ts'
import { formatBytes } from '../../shared/format-bytes.ts'
import { Button } from '../../ui/components/button.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import { StatusPill, Tag } from '../../ui/components/pill.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable } from '../../ui/components/small-table.tsx'
import type { Backup } from '../contract.ts'
import { useDownload } from './calls.ts'

/** The backups, newest first; only encrypted ones are downloaded. */
export function BackupTable({ backups }: { backups: readonly Backup[] }) {
  return (
    <SmallTable heads={['Name', 'Time', 'Size', 'Rows', 'Verified']} act="Download">
      {backups.map((backup) => (
        <Row key={backup.name} {...backup} />
      ))}
    </SmallTable>
  )
}

function Row({ name, time, size, sealed, rows, verified }: Backup) {
  const download = useDownload()
  return (
    <tr>
      <td>
        <span className={table.lead}>
          <span title={name}>{name}</span>
          {sealed && <Tag text="Encrypted" />}
        </span>
      </td>
      <td data-label="Time">
        <Moment at={time} />
      </td>
      <td data-label="Size">{formatBytes(size)}</td>
      <td data-label="Rows">{formatCount(rows)}</td>
      <td data-label="Verified">{verified ? 'Yes' : <StatusPill look="bad" text="Damaged" />}</td>
      <td className={table.act}>
        {sealed && (
          <Button
            size="small"
            aria-label={`Download ${name}`}
            disabled={download.isPending}
            onClick={() => download.mutate(name)}
          >
            Download
          </Button>
        )}
      </td>
    </tr>
  )
}
