import { formatAge } from '../../format-time.ts'
import { Button } from '../button.tsx'
import css from './conflict-modal.module.css'
import { Modal } from './modal.tsx'

export type ConflictModalProps = {
  open: boolean
  /** Who changed the record, and when, in milliseconds. */
  name: string
  at: number
  differences: readonly { label: string; theirs: string; mine: string }[]
  busy: boolean
  onClose: () => void
  onLoad: () => void
  onSave: () => void
}

/** Lets somebody choose whose version of a record stays; closed, they go on editing. */
export function ConflictModal({ open, name, at, differences, busy, onClose, onLoad, onSave }: ConflictModalProps) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={`Changed by ${name} ${formatAge(at)}`}
      description={
        differences.length > 0
          ? 'Your changes are not saved. Choose which version to keep.'
          : 'Your changes are not saved. Both versions are the same.'
      }
    >
      {differences.length > 0 && (
        <dl className={css.fields}>
          {differences.map(({ label, theirs, mine }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <span>Theirs</span>
                {theirs}
              </dd>
              <dd>
                <span>Yours</span>
                {mine}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className={css.choices}>
        <Button onClick={onClose}>Keep editing</Button>
        <Button onClick={onLoad}>Load their version</Button>
        <Button tone="danger" disabled={busy} onClick={onSave}>
          Save mine anyway
        </Button>
      </div>
    </Modal>
  )
}
