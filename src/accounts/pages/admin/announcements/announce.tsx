import { useState } from 'react'
import { NoteCard } from '../../../../ui/components/note.tsx'
import { Part } from '../../../../ui/components/page.tsx'
import { useSessionUser } from '../../../../ui/data/session.ts'
import { ActionBar } from '../../../../ui/form/actions/action-bar.tsx'
import { SaveButton, warnOfMissing } from '../../../../ui/form/actions/save-button.tsx'
import { AreaField } from '../../../../ui/form/area-field.tsx'
import { useDraft } from '../../../../ui/form/draft.ts'
import { ChoiceField } from '../../../../ui/form/field.tsx'
import { useLeaveGuard, useSaveKey } from '../../../../ui/form/guards.ts'
import { issuesOf } from '../../../../ui/form/issues.ts'
import { refuse } from '../../../../ui/form/refuse.ts'
import { useTitle } from '../../../../ui/navigation/title.ts'
import { AnnounceBody, longestMessage } from '../../../notifications/contract.ts'
import css from '../admin.module.css'
import { AdminHead } from '../head.tsx'
import { Recent } from '../recent.tsx'
import { useAnnounce } from './announcements.ts'

const types = [
  { value: 'info', label: 'Info' },
  { value: 'success', label: 'Success' },
  { value: 'warning', label: 'Warning' },
  { value: 'danger', label: 'Danger' },
] as const

const blank: AnnounceBody = { type: 'info', message: '' }

/** Says something to everybody who is signed in, and to who comes within a day. */
export function AnnouncePage() {
  useTitle('Announce')
  const author = useSessionUser()?.name ?? ''
  const [openedAt] = useState(Date.now)
  const draft = useDraft(blank)
  const announce = useAnnounce()
  const { type, message } = draft.values
  const missing = message.trim() === '' ? ['Message'] : []
  const send = () => {
    if (announce.isPending) return
    if (missing.length > 0) return warnOfMissing(missing)
    const wrong = issuesOf(AnnounceBody, draft.values)
    draft.refuse(wrong)
    if (Object.keys(wrong).length > 0) return
    announce.mutate(draft.values, {
      onSuccess: () => draft.replace({ type, message: '' }),
      onError: (error) => refuse(draft, error),
    })
  }
  useLeaveGuard(draft.isChanged)
  useSaveKey(send)
  return (
    <>
      <AdminHead title="Announce">Shown now, and for the next 24 hours at sign-in.</AdminHead>
      <ActionBar label="Announcement actions" changed={draft.changed}>
        <SaveButton missing={missing} busy={announce.isPending} onSave={send}>
          Send
        </SaveButton>
      </ActionBar>
      <div className={css.split}>
        <Part aria-label="Announcement">
          <ChoiceField label="Type" choices={types} value={type} onChange={(next) => draft.set('type', next)} />
          <AreaField
            label="Message"
            value={message}
            most={longestMessage}
            error={draft.errors.message}
            onText={(text) => draft.set('message', text)}
          />
          <div className={css.look}>
            <span>How it will appear</span>
            <NoteCard
              note={{ kind: type, message: message.trim() || 'Your message', issued: { at: openedAt, by: author } }}
            />
          </div>
        </Part>
        <Recent />
      </div>
    </>
  )
}
