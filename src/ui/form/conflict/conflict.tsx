import { NoteIcon } from '../../components/note.tsx'
import css from './conflict.module.css'
import type { Edited, Edits } from './edits.ts'

/** What a record says, in words, by the labels of its form. */
export type Words = Readonly<Record<string, string>>

/** Stands above a form: that somebody else edited the record, and the choice between both versions once it is saved. */
export function Conflict(props: {
  edits: Edits
  record: Edited
  noun: string
  theirs: Words
  mine: Words
  busy: boolean
  onLoad: () => void
  /** Saves over what was edited at `updatedAt`. */
  onSave: (updatedAt: number) => void
}) {
  const { edits, record, noun, theirs, mine, busy, onLoad, onSave } = props
  const { Modal } = edits
  const name = record.changedBy ?? 'Somebody'
  const differences = Object.keys(mine)
    .filter((label) => mine[label] !== theirs[label])
    .map((label) => ({ label, theirs: theirs[label] ?? '', mine: mine[label] ?? '' }))
  return (
    <div role="status">
      {edits.isOutdated && (
        <p className={css.note}>
          <NoteIcon kind="info" />
          {name} changed this {noun}. Your changes are not saved yet.
        </p>
      )}
      {Modal && (
        <Modal
          open={edits.isOpen}
          name={name}
          at={record.changedAt}
          differences={differences}
          busy={busy}
          onClose={edits.close}
          onLoad={() => {
            edits.close()
            onLoad()
          }}
          onSave={() => onSave(record.updatedAt)}
        />
      )}
    </div>
  )
}
