import { type ComponentProps, type ReactNode, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { Button } from '../button.tsx'
import css from './modal.module.css'
import { Modal, ModalActions } from './modal.tsx'

/** For more items than this, the user has to type their number, to prevent mistakes. */
const many = 20

type ConfirmModalProps = Pick<ComponentProps<typeof Modal>, 'open' | 'title' | 'description' | 'onClose'> & {
  consequence?: ReactNode
  children?: ReactNode
  no?: string | undefined
  yes: string
  count?: number
  busy: boolean
  onConfirm: () => void
}

export const ConfirmModal = ({
  consequence,
  children,
  no,
  yes,
  busy,
  count,
  onConfirm,
  ...props
}: ConfirmModalProps) => (
  <Modal {...props}>
    {consequence && <p className={css.words}>{consequence}</p>}
    {children}
    <Answers {...{ no, yes, busy, count, onConfirm }} onClose={props.onClose} />
  </Modal>
)

type AnswersProps = Pick<ConfirmModalProps, 'yes' | 'busy' | 'onClose' | 'onConfirm'> & {
  no: string | undefined
  count: number | undefined
}

/** Unmounted while the dialog is closed, which discards the typed number. */
function Answers({ no = 'Cancel', yes, busy, count = 1, onClose, onConfirm }: AnswersProps) {
  const [typed, setTyped] = useState('')
  const isMeant = count <= many || typed.replace(/\D/g, '') === String(count)
  return (
    <>
      {count > many && (
        <label className={css.typed}>
          Type {formatCount(count)} to confirm
          <input
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      <ModalActions>
        <Button onClick={onClose}>{no}</Button>
        <Button tone="nuke" disabled={busy || !isMeant} onClick={onConfirm}>
          {yes}
        </Button>
      </ModalActions>
    </>
  )
}
