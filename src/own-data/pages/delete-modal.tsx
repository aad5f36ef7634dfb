import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmModal } from '../../ui/components/modal/confirm-modal.tsx'
import { succeed } from '../../ui/toasts.ts'
import { summaryQuery, useDeleteAccount } from './calls.ts'
import css from './own-data.module.css'
import { lostWith } from './words.ts'

/** Says what goes with the account before it is deleted. */
export function DeleteAccountModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const { data } = useQuery({ ...summaryQuery, enabled: open })
  const remove = useDeleteAccount(() => {
    succeed('Your account is deleted.')
    void navigate({ to: '/' })
  })
  return (
    <ConfirmModal
      open={open}
      title="Delete your account ?"
      description="You can't undo this. Download your data first if you want to keep any of it. Along with your account, this is deleted:"
      yes="Delete account"
      busy={remove.isPending || !data}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onError: onClose })}
    >
      {data && (
        <ul className={css.lost}>
          {lostWith(data).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </ConfirmModal>
  )
}
