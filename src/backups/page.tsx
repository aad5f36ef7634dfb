import { useMutation, useQuery } from '@tanstack/react-query'
import css from '../people/pages/admin.module.css'
import { AdminHead } from '../people/pages/admin-head.tsx'
import { formatBytes, formatCount } from '../shared/count.ts'
import { Button } from '../ui/components/button.tsx'
import { LoadFailed } from '../ui/components/load-failed.tsx'
import { Moment } from '../ui/components/moment.tsx'
import { Part, PartHead } from '../ui/components/page.tsx'
import { StatusPill, Tag } from '../ui/components/pill.tsx'
import table from '../ui/components/small-table.module.css'
import { SmallTable } from '../ui/components/small-table.tsx'
import { Warning } from '../ui/components/warning.tsx'
import { call, callQuery, reload, useCall } from '../ui/data/call.ts'
import { formatInterval } from '../ui/format-time.ts'
import { notifySuccess } from '../ui/toasts.ts'
import type { Backup, BackupStatus } from './contract.ts'

const path = 'GET /api/v1/admin/backups'
const reloadBackups = () => reload(path, `${path}/status`)

export function BackupsPage() {
  const queries = [useQuery(callQuery(`${path}/status`)), useQuery(callQuery(path))] as const
  const [{ data: status }, { data: backups }] = queries
  const backUp = useCall('POST /api/v1/admin/backups', {
    onSuccess: () => notifySuccess('Backed up the database.'),
    onSettled: reloadBackups,
  })
  return (
    <>
      <AdminHead title="Backups">Copies of the database, to restore if something goes wrong.</AdminHead>
      <Part aria-label="Backups">
        <PartHead>
          <h2>All backups</h2>
          <Button tone="primary" size="small" disabled={backUp.isPending} onClick={() => backUp.mutate()}>
            {backUp.isPending ? 'Backing up…' : 'Back up now'}
          </Button>
        </PartHead>
        <LoadFailed queries={queries} />
        {status && backups && (
          <>
            <Status {...status} />
            {backups.length === 0 ? <p className={css.quiet}>No backups yet.</p> : <BackupTable backups={backups} />}
          </>
        )}
      </Part>
    </>
  )
}

function Status({ every, next, seals, folder, failed }: BackupStatus) {
  return (
    <>
      {failed && (
        <Warning>
          The last backup failed on <Moment at={failed.at} />: {failed.why}.
        </Warning>
      )}
      {!seals && (
        <Warning>
          New backups aren't encrypted, so they can't be downloaded here. Set <code>BACKUP_PASSPHRASE</code> to encrypt
          them.
        </Warning>
      )}
      <p className={css.quiet}>
        {every === 0 ? (
          <>
            Automatic backups are off. Set <code>BACKUP_EVERY</code> to turn them on.
          </>
        ) : (
          <>
            ToolBox makes a backup every {formatInterval(every).replace(/^1 /, '')}.
            {next !== null && (
              <>
                {' '}
                Next: <Moment at={next} />.
              </>
            )}
          </>
        )}{' '}
        Backups are kept in <code>{folder}</code>. To restore one, run <code>npm run toolbox -- restore</code> on the
        server.
      </p>
    </>
  )
}

/** Only encrypted backups can be downloaded. */
function BackupTable({ backups }: { backups: readonly Backup[] }) {
  return (
    <SmallTable heads={['Name', 'Time', 'Size', 'Rows', 'Verified']} act="Download">
      {backups.map((backup) => (
        <Row key={backup.name} {...backup} />
      ))}
    </SmallTable>
  )
}

function Row({ name, time, size, sealed, rows, verified }: Backup) {
  const download = useMutation({
    // Check first: the call may require re-authentication, which a browser's own download can't prompt for.
    mutationFn: () => call(`${path}/:name`, { name, check: 'true' }),
    onSuccess: () => location.assign(`/api/v1/admin/backups/${name}`),
    onError: reloadBackups,
  })
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
            onClick={() => download.mutate()}
          >
            Download
          </Button>
        )}
      </td>
    </tr>
  )
}
