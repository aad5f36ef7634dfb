import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { whenDone } from '../../../ui/data/call.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { SwitchField, TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import type { OwnedBadge } from '../contract.ts'
import { usePatchBadge, useRelease } from './calls.ts'
import { formatViews } from './figures.ts'

/** Each opening is a new instance, so that a late response closes no dialog but its own. */
type Props = { badge: OwnedBadge; open: boolean; onClose: () => void }

export function EditModal({ badge, open, onClose }: Props) {
  const { tag } = badge
  const draft = useDraft({ base: String(badge.base), hidden: badge.hidden })
  const field = inputsOf(draft)
  const form = useDialogForm({
    open,
    draft,
    body: () => ({ tag, base: Number(draft.values.base), hidden: draft.values.hidden }),
    mutation: usePatchBadge(),
    main: 'base',
    onAnswer: () => notifySuccess(`Saved ${tag}.`),
    onSaved: onClose,
  })
  return (
    <FormModal {...form} title={`Edit ${tag}`} verb="Save" onClose={onClose}>
      <TextField
        {...field('base')}
        label="Base"
        inputMode="numeric"
        hint="Added to the views, such as the count of the service you come from. It can't be lowered."
        onChange={(text) => draft.set('base', text.replaceAll(/\D/g, '').slice(0, 13))}
      />
      <SwitchField
        {...field('hidden')}
        label="Hide the number"
        hint="The image shows its label only. Views are counted, and scripts can still read them."
      />
    </FormModal>
  )
}

export function ResetModal({ badge: { tag, views }, open, onClose }: Props) {
  const patch = usePatchBadge()
  return (
    <ConfirmModal
      open={open}
      title={
        <>
          Reset <code>{tag}</code>?
        </>
      }
      description={`The badge starts again from 0. Its ${formatViews(views)}, its base and its history are lost for good.`}
      yes="Reset"
      busy={patch.isPending}
      onClose={onClose}
      onConfirm={() =>
        void whenDone(patch.mutateAsync({ tag, reset: true }, { onSettled: onClose }), () =>
          notifySuccess(`Reset ${tag}.`),
        )
      }
    />
  )
}

export function ReleaseModal({ badge: { tag, views, base }, open, onClose }: Props) {
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
      onConfirm={() =>
        void whenDone(release.mutateAsync({ tag }, { onSettled: onClose }), () => notifySuccess(`Released ${tag}.`))
      }
    />
  )
}
