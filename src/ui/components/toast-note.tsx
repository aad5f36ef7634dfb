import { Check, Info, OctagonX, TriangleAlert } from 'lucide-react'
import { formatTime, formatZone } from '../format-time.ts'
import type { Note } from '../toasts.ts'
import pillCss from './pill.module.css'
import surface from './surface.module.css'
import css from './toast-note.module.css'

const icons = { danger: OctagonX, success: Check, warning: TriangleAlert, info: Info }

export const titleOf = (note: Note) => (note.issued ? 'Server Notification' : 'Notification')

export function NoteIcon({ kind }: Pick<Note, 'kind'>) {
  const Icon = icons[kind]
  return (
    <span className={pillCss.icon} data-tone={kind} aria-hidden="true">
      <Icon size={16} />
    </span>
  )
}

export function NoteBody({ note }: { note: Note }) {
  return (
    <>
      <p className={css.message}>{note.message}</p>
      {note.lines && note.lines.length > 0 && (
        <ul className={css.lines}>
          {note.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {note.issued && (
        <p className={css.meta}>
          Issued at <span title={formatZone(note.issued.at)}>{formatTime(note.issued.at)}</span>
          <br />
          By {note.issued.by}
        </p>
      )}
    </>
  )
}

/** A note as part of a page, styled like its toast. */
export function NoteCard({ note }: { note: Note }) {
  return (
    <div className={`${surface.raised} ${css.content}`}>
      <NoteIcon kind={note.kind} />
      <div className={css.main}>
        <strong className={css.title}>{titleOf(note)}</strong>
        <NoteBody note={note} />
      </div>
    </div>
  )
}
