import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { formatCount } from '../../shared/count.ts'
import { ConfirmModal } from '../../ui/components/modal/confirm-modal.tsx'
import { call, callQuery } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { forgetSession, sessionQuery, signingOut } from '../../ui/data/session.ts'
import { ImportModal } from '../../ui/import-modal.tsx'
import { notifySuccess } from '../../ui/toasts.ts'
import type { Summary } from '../contract.ts'
import css from './own-data.module.css'

const count = (number: number, one: string, many: string) => `${formatCount(number)} ${number === 1 ? one : many}`

const deletedWith = ({ entries, channels, sessions, apiKeys, more }: Summary): string[] => [
  `${count(entries, 'entry', 'entries')} with ${entries === 1 ? 'its' : 'their'} history`,
  count(channels, 'channel', 'channels'),
  count(apiKeys, 'API key', 'API keys'),
  `${count(sessions, 'session', 'sessions')}, this one included`,
  ...more,
]

export function DeleteAccountModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const { data } = useQuery({ ...callQuery('GET /api/v1/user/summary'), enabled: open })
  // Deleting the account ends the session, as signing out does.
  const remove = useMutation({
    mutationKey: signingOut,
    mutationFn: async () => {
      await call('DELETE /api/v1/user', {})
      queryClient.setQueryData(sessionQuery.queryKey, null)
      notifySuccess('Your account was deleted.')
      void navigate({ to: '/' })
      // Navigate away first: the current screen would reload the data that this drops.
      setTimeout(() => void forgetSession())
    },
  })
  return (
    <ConfirmModal
      open={open}
      title="Delete your account ?"
      description="You can't undo this. Download your data first if you want to keep any of it. Along with your account, this is deleted:"
      yes="Delete account"
      busy={remove.isPending || !data}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onError: onClose })}
    >
      {data && (
        <ul className={css.lost}>
          {deletedWith(data).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </ConfirmModal>
  )
}

export type Named = { id: string; label: string }

type ImportProps = { tools: readonly Named[]; open: boolean; onClose: () => void }

export const ImportEntriesModal = ({ tools, ...dialog }: ImportProps) => (
  <ImportModal
    {...dialog}
    title="Import entries"
    description="A ToolBox export, an Uptime Kuma backup, a CSV table or a list of URLs."
    accept=".json,.csv,.txt,application/json,text/csv,text/plain"
    placeholder={'https://app.example.com/health\nhttps://api.example.com/'}
    path="/api/v1/user/import"
    noun={['entry', 'entries']}
    listOf={(label) => {
      const tool = tools.find((tool) => tool.label === label)
      return tool ? { to: `/tools/${tool.id}/viewlist`, search: { sort: '-createdAt' } } : { to: '/' }
    }}
  />
)
