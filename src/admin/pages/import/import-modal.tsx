import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '../../../shared/count.ts'
import { api } from '../../../ui/data/api.ts'
import { type Asked, ImportModal } from '../../../ui/import/import-modal.tsx'
import type { Report } from '../../../ui/import/report.ts'
import { users } from '../bulk/words.ts'

const path = '/api/v1/admin/users/import'
const example = 'email,name,roles,status\nada@example.com,Ada Lovelace,Tools 1,Active'

/** Takes a table of users, shows what would come of each line, and then imports it. */
export function ImportUsersModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: async ({ file, ...params }: Asked) =>
      (await api.post<Report>(path, file.slice(0, file.size, 'text/csv'), { params })).data,
    meta: { quiet: true },
    onSuccess: (_report, { dry }) => void (dry || client.invalidateQueries({ queryKey: ['users'] })),
  })
  return (
    <ImportModal
      open={open}
      title="Import users"
      description="A CSV table whose first line names its columns: email, name, username, roles, tags and status. New users sign in with a provider account that has this email."
      accept=".csv,.txt,text/csv,text/plain"
      placeholder={example}
      act={act}
      planInWords={planInWords}
      doneInWords={doneInWords}
      onClose={onClose}
    />
  )
}

const lines = (count: number) => `${formatCount(count)} ${count === 1 ? 'line is' : 'lines are'}`

/** What an import would do, in a sentence. */
function planInWords({ created, changed, same, refused }: Report): string {
  const parts = [
    created > 0 && `${users(created)} will be created`,
    changed > 0 && `${formatCount(changed)} will be changed`,
    same > 0 && `${formatCount(same)} ${same === 1 ? 'is' : 'are'} the same already`,
    refused.length > 0 && `${lines(refused.length)} refused`,
  ].filter((part) => part !== false)
  return `${[parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')}.`
}

/** What an import has done. */
function doneInWords({ created, changed, refused }: Report): string {
  const done = `Created ${users(created)} and changed ${formatCount(changed)}.`
  return refused.length === 0 ? done : `${done} ${lines(refused.length)} left out.`
}
