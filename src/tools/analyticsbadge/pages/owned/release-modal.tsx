import { ConfirmModal } from '../../../../ui/components/modal/confirm-modal.tsx'
import { succeed } from '../../../../ui/toasts.ts'
import type { OwnedBadge } from '../../contract.ts'
import { useRelease } from '../calls.ts'

type ReleaseModalProps = { badge: OwnedBadge; open: boolean; onClose: () => void }

/** Asks whether a tag should be given back. */
export function ReleaseModal({ badge: { tag, views, base }, open, onClose }: ReleaseModalProps) {
  const release = useRelease()
  const what =
    views > base
      ? 'The badge keeps its number and shows it, but nobody can change it any more. Only an admin can assign it to you again.'
      : 'The badge starts again from 0, and anyone can claim the tag.'
  return (
    <ConfirmModal
      open={open}
      title={
        <>
          Release <code>{tag}</code>?
        </>
      }
      description={what}
      yes="Release"
      busy={release.isPending}
      onClose={onClose}
      onConfirm={() => release.mutate(tag, { onSuccess: () => succeed(`Released ${tag}.`), onSettled: onClose })}
    />
  )
}
