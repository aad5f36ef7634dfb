import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import css from '../../../people/pages/admin.module.css'
import { AdminHead } from '../../../people/pages/admin-head.tsx'
import { formatRoles } from '../../../shared/user.ts'
import { Button } from '../../../ui/components/button.tsx'
import { ConfirmButton } from '../../../ui/components/confirm-button.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Part, PartHead } from '../../../ui/components/page.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import table from '../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { callQuery, reload, useCall } from '../../../ui/data/call.ts'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import type { Invite } from '../../invites/contract.ts'
import type { Made } from './new-invite-modal.tsx'

const useNewInviteModal = lazyDialog(async () => (await import('./new-invite-modal.tsx')).NewInviteModal)

export function InvitesPage() {
  // Inbox events announce who joins.
  const query = useQuery({ ...callQuery('GET /api/v1/admin/invites'), meta: { about: { topic: 'inbox' } } })
  const invites = query.data
  return (
    <>
      <AdminHead title="Invitations">Invite people with the roles you choose.</AdminHead>
      <Part aria-label="Invitations">
        <PartHead>
          <h2>Invitations</h2>
          <NewInvite />
        </PartHead>
        <LoadFailed queries={[query]} />
        {invites?.length === 0 && (
          <p className={css.quiet}>
            No invitations yet. Create one and send its link: anyone who opens it can sign in and gets the roles right
            away.
          </p>
        )}
        {invites && invites.length > 0 && (
          <SmallTable heads={['For', 'Grants', 'Used', 'Expires', 'Created', 'By']} act="Revoke">
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
  // A new `turn` each time resets the form.
  const { Dialog, turn, open, close, openerAfter } = useNewInviteModal()
  const [invite, setInvite] = useState<Made>()
  return (
    <>
      <Button tone="primary" size="small" {...openerAfter(() => setInvite(undefined))}>
        <UserPlus size={14} aria-hidden="true" />
        New invitation
      </Button>
      {Dialog && <Dialog key={turn} open={open} invite={invite} onClose={close} onMade={setInvite} />}
    </>
  )
}

const endLabels = { 'used up': 'Used up', over: 'Expired', stopped: 'Stopped' } as const
/** Names the invitation in the accessible label of its Revoke button. */
const nameOf = ({ email }: Invite) => email ?? 'anyone with the link'

function InviteRow({ invite }: { invite: Invite }) {
  const { email, mailed, mailNote, state, roles, tags, used, uses, expiresAt, createdAt, createdBy } = invite
  const title = email ?? 'Anyone with the link'
  // A stopped invitation works again if its admin may invite again.
  const canStop = state === 'open' || state === 'stopped'
  const gives = [...(roles.Admin + roles.Tools > 0 ? [formatRoles(roles)] : []), ...tags].join(', ')
  return (
    <tr>
      <td title={title}>
        <span className={table.lead}>
          <span>{title}</span>
          {state !== 'open' && <StatusPill look="off" text={endLabels[state]} />}
          {state === 'open' && mailed && <StatusPill look="tag" text="Mailed" />}
        </span>
        {state === 'open' && mailNote !== null && <small className={css.quiet}>Not mailed: {mailNote}.</small>}
      </td>
      <td data-label="Grants">{gives || 'No roles'}</td>
      <td data-label="Used">
        {used} of {uses}
      </td>
      <td data-label="Expires">
        <Moment at={expiresAt} />
      </td>
      <td data-label="Created">
        <Moment at={createdAt} />
      </td>
      <td data-label="By" className={table.short} title={createdBy ?? undefined}>
        {createdBy ?? 'Deleted user'}
      </td>
      <td className={table.act}>{canStop && <Revoke invite={invite} />}</td>
    </tr>
  )
}

function Revoke({ invite }: { invite: Invite }) {
  const revoke = useCall('DELETE /api/v1/admin/invites', {
    onSuccess: () => notifySuccess('Revoked the invitation.'),
    onSettled: () => reload('GET /api/v1/admin/invites'),
  })
  return (
    <ConfirmButton
      size="small"
      aria-label={`Revoke the invitation for ${nameOf(invite)}`}
      title="Revoke this invitation?"
      description="Its link stops working. People who have used it keep their accounts and roles."
      yes="Revoke"
      act={revoke}
      input={{ id: invite.id }}
    >
      Revoke
    </ConfirmButton>
  )
}
