import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import css from '../../../people/pages/admin.module.css'
import { AdminHead } from '../../../people/pages/admin-head.tsx'
import { Button } from '../../../ui/components/button.tsx'
import { Part, PartHead } from '../../../ui/components/page/page.tsx'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { invitesQuery } from './calls.ts'
import { InviteRow } from './row.tsx'

const useNewInviteModal = lazyDialog(async () => (await import('./new-invite-modal.tsx')).NewInviteModal)

/** Links by which people join, with the roles that they get. */
export function InvitesPage() {
  useTitle('Invitations')
  const { data: invites } = useQuery(invitesQuery)
  return (
    <>
      <AdminHead title="Invitations">Links that let people in, with the roles you choose.</AdminHead>
      <Part aria-label="Invitations">
        <PartHead>
          <h2>Invitations</h2>
          <NewInvite />
        </PartHead>
        {invites?.length === 0 && (
          <p className={css.quiet}>
            No invitations yet. Create one and send its link: anyone who opens it can sign in and gets the roles at
            once.
          </p>
        )}
        {invites && invites.length > 0 && (
          <SmallTable heads={['For', 'Gives', 'Used', 'Expires', 'Created', 'By']} act="Revoke">
            {invites.map((invite) => (
              <InviteRow key={invite.id} invite={invite} />
            ))}
          </SmallTable>
        )}
      </Part>
    </>
  )
}

function NewInvite() {
  const { Dialog, open, close, opener } = useNewInviteModal()
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        tone="primary"
        size="small"
        {...opener}
        onClick={() => {
          // Each time the form is blank, and the link shown last is forgotten.
          setTurn(turn + 1)
          opener.onClick()
        }}
      >
        <UserPlus size={14} aria-hidden="true" />
        New invitation
      </Button>
      {Dialog && <Dialog key={turn} open={open} onClose={close} />}
    </>
  )
}
