import { pages } from '../../shared/pages.ts'
import { ImportModal } from '../../ui/import-modal.tsx'

export const ImportUsersModal = (dialog: { open: boolean; onClose: () => void }) => (
  <ImportModal
    {...dialog}
    title="Import users"
    description="A CSV table whose first line names its columns: email, name, username, roles, tags and status. New users sign in with a provider account that has this email."
    accept=".csv,.txt,text/csv,text/plain"
    placeholder={'email,name,roles,status\nada@example.com,Ada Lovelace,Tools 1,Active'}
    path="/api/v1/admin/users/import"
    noun={['user', 'users']}
    listOf={() => ({ to: pages.users.path })}
  />
)
