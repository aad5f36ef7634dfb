import { useQuery } from '@tanstack/react-query'
import { NoteCard } from '../../../ui/components/note.tsx'
import { Part } from '../../../ui/components/page.tsx'
import css from './admin.module.css'
import { announcementsQuery } from './announcements/announcements.ts'

/** What was announced lately. */
export function Recent() {
  const { data } = useQuery(announcementsQuery)
  return (
    <Part aria-label="Recent announcements">
      <h2>Recent announcements</h2>
      {data?.length === 0 && <p className={css.quiet}>No announcements yet.</p>}
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
