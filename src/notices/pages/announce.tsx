import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import css from '../../people/pages/admin.module.css'
import { AdminHead } from '../../people/pages/admin-head.tsx'
import { useNow } from '../../ui/clock.ts'
import { Button } from '../../ui/components/button.tsx'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Part } from '../../ui/components/page.tsx'
import { NoteCard } from '../../ui/components/toast-note.tsx'
import { callQuery, reload, useCall } from '../../ui/data/call.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { AreaField } from '../../ui/form/area-field.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { ChoiceField } from '../../ui/form/field.tsx'
import { blankOf, type Fields, labelledInputs, missingIn } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { AnnounceBody, longestMessage } from '../contract.ts'

const types = [
  { value: 'info', label: 'Info' },
  { value: 'success', label: 'Success' },
  { value: 'warning', label: 'Warning' },
  { value: 'danger', label: 'Danger' },
] as const

const example = 'Maintenance tonight at 22:00 UTC: ToolBox will be unavailable for about ten minutes.'

const fields: Fields<AnnounceBody> = {
  type: { label: 'Type', blank: 'info' },
  message: { label: 'Message', blank: '', required: true },
}

/** Announcements reach users who are signed in or visit within a day. */
export function AnnouncePage() {
  const [first, setFirst] = useState(blankOf(fields))
  const draft = useDraft(first)
  const announce = useCall('POST /api/v1/admin/notifications', {
    onSuccess: () => reload('GET /api/v1/admin/notifications'),
  })
  const field = labelledInputs(draft, fields)
  const editor = useEditor({
    draft,
    missing: missingIn(fields, draft.values),
    body: () => draft.values,
    check: (body) => issuesOf(AnnounceBody, body),
    mutation: announce,
    onSaved: () => {
      setFirst({ ...draft.values, message: '' })
      draft.markSaved()
    },
  })
  return (
    <>
      <AdminHead title="Announcements">Shown now, and for the next 24 hours at sign-in.</AdminHead>
      <div className={css.split}>
        <Part aria-label="Announcement">
          <ChoiceField {...field('type')} choices={types} />
          <AreaField {...field('message')} most={longestMessage} />
          <Preview {...draft.values} />
          <ActionBar label="Announcement actions" editor={editor} verb="Send" />
        </Part>
        <Recent onExample={draft.values.message === '' && (() => draft.set('message', example))} />
      </div>
    </>
  )
}

function Preview({ type, message }: AnnounceBody) {
  const author = useSessionUser()?.name ?? ''
  const now = useNow()
  return (
    <div className={css.look}>
      <span>How it will appear</span>
      <NoteCard note={{ kind: type, message: message.trim() || 'Your message', issued: { at: now, by: author } }} />
    </div>
  )
}

/** `onExample` is false while there is text that an example would replace. */
function Recent({ onExample }: { onExample: false | (() => void) }) {
  const query = useQuery(callQuery('GET /api/v1/admin/notifications'))
  const { data } = query
  return (
    <Part aria-label="Recent announcements">
      <h2>Recent announcements</h2>
      <LoadFailed queries={[query]} />
      {data?.length === 0 && (
        <>
          <p className={css.quiet}>No announcements yet.</p>
          {onExample && (
            <div>
              <Button size="small" onClick={onExample}>
                Fill in an example
              </Button>
            </div>
          )}
        </>
      )}
      {data && data.length > 0 && (
        <ul className={css.notes}>
          {data.map(({ id, type, message, issuedAt, author }) => (
            <li key={id}>
              <NoteCard note={{ kind: type, message, issued: { at: issuedAt, by: author } }} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}
