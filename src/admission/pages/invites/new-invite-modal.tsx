import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { roleSentences } from '../../../people/pages/role-labels.ts'
import { days, type Instant } from '../../../shared/time.ts'
import { type AccessLevel, accessLevels, knownTags, type RoleName } from '../../../shared/user.ts'
import { providersQuery } from '../../../sign-in/pages/calls.ts'
import { QrCode } from '../../../sign-in/pages/second-factor/qr-code.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { ReachNote } from '../../../ui/components/warning.tsx'
import { reload, useCall } from '../../../ui/data/call.ts'
import { useSendsMail } from '../../../ui/data/server-config.ts'
import { CheckList } from '../../../ui/form/check-list.tsx'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { blankOf, type Fields, labelledInputs } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { ShownOnceModal } from '../../../ui/form/shown-once-modal.tsx'
import { timeNow } from '../../../ui/time-now.ts'
import { type MadeInvite, NewInviteBody } from '../../invites/contract.ts'

export type Made = MadeInvite & { email: string }
type Props = { open: boolean; onClose: () => void; onMade: (invite: Made) => void }

const levels = (['0', '1', '2'] as const satisfies Level[]).map((value) => ({ value, label: accessLevels[value] }))
const tags = knownTags.map((value) => ({ value, label: value }))

/** Creates an invitation, then shows its link once. */
export const NewInviteModal = ({ invite, ...props }: Props & { invite: Made | undefined }) =>
  invite ? <LinkModal invite={invite} onClose={props.onClose} /> : <AskModal {...props} />

function AskModal({ open, onClose, onMade }: Props) {
  const [blank] = useState(() => blankOf(inviteFields))
  const draft = useDraft(blank)
  const create = useCall('POST /api/v1/admin/invites', {
    // Runs even if the form has been closed and opened anew meanwhile, unlike `onSaved`.
    onSuccess: (invite, { email }) => {
      onMade({ ...invite, email: email ?? '' })
      return reload('GET /api/v1/admin/invites')
    },
  })
  const emailHint = useEmailHint()
  const { values } = draft
  const field = labelledInputs(draft, inviteFields)
  const isForOne = values.email.trim() !== ''
  const form = useDialogForm({
    open,
    draft,
    body: () => bodyOf(values, timeNow()),
    check: (body) => issuesOf(NewInviteBody, body),
    mutation: create,
    onSaved: () => {},
  })
  return (
    <FormModal {...form} title="New invitation" verb="Create link" onClose={onClose}>
      <LevelField {...field('tools')} of="Tools" />
      <LevelField {...field('admin')} of="Admin" />
      <CheckList {...field('tags')} inline options={tags} />
      <TextField {...field('email')} type="email" autoComplete="off" hint={emailHint} />
      {!isForOne && <TextField {...field('uses')} inputMode="numeric" autoComplete="off" />}
      <ChoiceField {...field('life')} choices={lifeChoices} />
    </FormModal>
  )
}

type LevelProps = { of: RoleName; label: string; value: Level; onChange: (level: Level) => void }

const LevelField = ({ of, ...level }: LevelProps) => (
  <ChoiceField {...level} choices={levels}>
    <small>{roleSentences[of][levelOf(level.value)]}</small>
  </ChoiceField>
)

function useEmailHint(): string {
  const sendsMail = useSendsMail()
  const { data: providers } = useQuery(providersQuery)
  const only = "The link won't work for any other email."
  if (sendsMail) return `We'll email them the link. ${only}`
  const unverified = "This server doesn't send email, so the address stays unverified"
  if (providers?.length === 0) return `${only} ${unverified}.`
  return `${only} ${unverified} unless the provider they sign in with has verified it.`
}

const LinkModal = ({ invite, onClose }: { invite: Made; onClose: () => void }) => (
  <ShownOnceModal
    title="Your invitation link"
    description={
      invite.mailed
        ? `We're mailing it to ${invite.email}. You can also copy it now.`
        : 'Copy it now and send it, or let someone scan it.'
    }
    label="Link"
    text={invite.url}
    noun="link"
    onClose={onClose}
  >
    <ReachNote url={invite.url} others="the people you invite" />
    <QrCode text={invite.url} label="QR code of the link" />
  </ShownOnceModal>
)

type Life = keyof typeof lifetimes
const lifetimes = { day: days(1), week: days(7), month: days(30) } as const

const lifeChoices: readonly { value: Life; label: string }[] = [
  { value: 'day', label: '1 day' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: '30 days' },
]

type Level = `${AccessLevel}`
/** The form's values; `uses` is the typed text. */
export type Values = {
  tools: Level
  admin: Level
  tags: (typeof knownTags)[number][]
  email: string
  uses: string
  life: Life
}

/** The defaults grant the tools, as most invitations do. */
const inviteFields: Fields<Values> = {
  tools: { label: 'Tools', blank: '1' },
  admin: { label: 'Admin', blank: '0' },
  tags: { label: 'Tags', blank: [] },
  email: { label: 'Only for this email (optional)', blank: '' },
  uses: { label: 'How many people can use it', blank: '1' },
  life: { label: 'Expires in', blank: 'week' },
}

const levelOf = (level: Level) => Number(level) as AccessLevel

/** The request body. An invitation for an email has one use, since only one user can have that email. */
function bodyOf({ tools, admin, tags, email, uses, life }: Values, now: Instant): NewInviteBody {
  const address = email.trim()
  return {
    roles: { Admin: levelOf(admin), Tools: levelOf(tools) },
    tags,
    ...(address !== '' && { email: address }),
    uses: address === '' ? Number(uses.trim() || Number.NaN) : 1,
    expiresAt: now + lifetimes[life],
  }
}
