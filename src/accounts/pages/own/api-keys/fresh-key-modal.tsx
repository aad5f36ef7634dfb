import { CopyOnce } from '../../../../ui/components/modal/copy-once.tsx'
import { Modal } from '../../../../ui/components/modal/modal.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import type { FreshKey } from '../calls.ts'
import css from '../own.module.css'

/** Shows a new key, which can't be shown again. */
export function FreshKeyModal({ open, made, onClose }: { open: boolean; made: FreshKey; onClose: () => void }) {
  return (
    <Modal
      open={open}
      title="Your new API key"
      description="Copy it now and keep it safe. You won't be able to see it again."
      onClose={onClose}
    >
      <div className={css.form}>
        <TextField label={made.name} code readOnly value={made.key} onFocus={(event) => event.target.select()} />
        <p className={css.note}>
          Send it with each request: <code>Authorization: Bearer tbx_…</code>
        </p>
        <CopyOnce text={made.key} noun="key" onDone={onClose} />
      </div>
    </Modal>
  )
}
