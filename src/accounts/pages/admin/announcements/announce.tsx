import { useState } from 'react'
import { NoteCard } from '../../../../ui/components/note.tsx'
import { Part } from '../../../../ui/components/page.tsx'
import { useSessionUser } from '../../../../ui/data/session.ts'
import { ActionBar } from '../../../../ui/form/actions/action-bar.tsx'
import { AreaField } from '../../../../ui/form/area-field.tsx'
import { useDraft } from '../../../../ui/form/draft.ts'
import { useEditor } from '../../../../ui/form/editor.ts'
import { ChoiceField } from '../../../../ui/form/field.tsx'
import { issuesOf } from '../../../../ui/form/issues.ts'
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
  const editor = useEditor({
    draft,
    missing: message.trim() === '' ? ['Message'] : [],
    body: () => draft.values,
    check: (body) => issuesOf(AnnounceBody, body),
    mutation: announce,
    onSaved: () => draft.replace({ type, message: '' }),
  })
  return (
    <>
      <AdminHead title="Announce">Shown now, and for the next 24 hours at sign-in.</AdminHead>
      <ActionBar label="Announcement actions" editor={editor} verb="Send" />
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
