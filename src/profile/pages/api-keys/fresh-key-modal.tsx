import { ShownOnceModal } from '../../../ui/form/shown-once-modal.tsx'
import type { FreshKey } from '../calls.ts'
import css from '../own.module.css'

/** Shows a new key. */
export const FreshKeyModal = (props: { open: boolean; made: FreshKey; onClose: () => void }) => (
  <ShownOnceModal
    open={props.open}
    title="Your new API key"
    description="Copy it now and keep it safe."
    label={props.made.name}
    text={props.made.key}
    noun="key"
    onClose={props.onClose}
  >
    <p className={css.note}>
      Send it with each request: <code>Authorization: Bearer tbx_…</code>
    </p>
  </ShownOnceModal>
)
