import { useAgo } from '../../clock.ts'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/modal/modal.tsx'
import type { Comparison } from './compare.ts'
import css from './conflict-modal.module.css'

type ConflictModalProps = {
  open: boolean
  /** The record's name, if it has one. */
  record: string | undefined
  /** Who changed the record, and when (ms). */
  name: string
  at: number
  /** Whether the user made that change themselves, in another tab. */
  isOwn: boolean
  comparison: Comparison
  busy: boolean
  onClose: () => void
  onLoad: () => void
  onSave: () => void
}

const sameAsBefore = "Your changes aren't saved. The saved version is unchanged."

/** Lets the user choose which version of a record to keep, or close the dialog and continue editing. */
export function ConflictModal(props: ConflictModalProps) {
  const { open, record, name, at, isOwn, busy, onClose, onLoad, onSave } = props
  const { changes, edited } = props.comparison
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={`Changed by ${name} ${useAgo(at)}`}
      description={changes.length > 0 ? "Your changes aren't saved. Changed in the meantime:" : sameAsBefore}
    >
      {record && <p className={css.record}>{record}</p>}
      {changes.length > 0 && (
        <dl className={css.fields}>
          {changes.map(({ label, before, theirs, mine }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <span>Before</span>
                {before}
              </dd>
              <dd>
                <span>{isOwn ? 'Other tab' : 'Theirs'}</span>
                {theirs}
              </dd>
              {mine !== undefined && (
                <dd>
                  <span>{isOwn ? 'This page' : 'Yours'}</span>
                  {mine}
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      {edited.length > 0 && (
        <p className={css.consequence}>
          “Save mine anyway” saves only what you edited{isOwn && ' here'} ({edited.join(', ')}) and keeps the rest of{' '}
          {isOwn ? 'the other' : 'their'} version.
        </p>
      )}
      <div className={css.choices}>
        <Button onClick={onClose}>Keep editing</Button>
        <Button onClick={onLoad}>{isOwn ? 'Load other version' : 'Load their version'}</Button>
        <Button tone="danger" disabled={busy} onClick={onSave}>
          Save mine anyway
        </Button>
      </div>
    </Modal>
  )
}
