import { useState } from 'react'
import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reason } from '../../../ui/data/api.ts'
import { SwitchField, TextField } from '../../../ui/form/field.tsx'
import { succeed } from '../../../ui/toasts.ts'
import type { OwnedBadge } from '../contract.ts'
import { usePatchBadge, useRelease } from './calls.ts'
import { viewsOf } from './figures.ts'

type EditModalProps = { badge: OwnedBadge; open: boolean; onClose: () => void }

/** Changes a badge's base, and whether it shows its number. */
export function EditModal({ badge, open, onClose }: EditModalProps) {
  const { tag } = badge
  const [typed, setTyped] = useState<{ base?: string; hidden?: boolean }>({})
  const patch = usePatchBadge()
  const { base = String(badge.base), hidden = badge.hidden } = typed
  const close = () => {
    setTyped({})
    patch.reset()
    onClose()
  }
  const save = () =>
    patch.mutate(
      { tag, base: Number(base), hidden },
      {
        onSuccess: () => {
          succeed(`Saved ${tag}.`)
          close()
        },
      },
    )
  return (
    <FormModal open={open} title={`Edit ${tag}`} verb="Save" busy={patch.isPending} onClose={close} onSave={save}>
      <TextField
        label="Base"
        inputMode="numeric"
        value={base}
        hint="Added to the views, such as the count of the service you come from. It can't be lowered."
        error={patch.error ? reason(patch.error) : undefined}
        onChange={(text) => {
          patch.reset()
          setTyped({ ...typed, base: text.replaceAll(/\D/g, '').slice(0, 13) })
        }}
      />
      <SwitchField
        label="Hide the number"
        hint="The image shows its label only. Views are counted, and scripts can still read them."
        value={hidden}
        onChange={(on) => setTyped({ ...typed, hidden: on })}
      />
    </FormModal>
  )
}

type ResetModalProps = { badge: OwnedBadge; open: boolean; onClose: () => void }

/** Asks whether a badge should start again from 0. */
export function ResetModal({ badge: { tag, views }, open, onClose }: ResetModalProps) {
  const patch = usePatchBadge()
  return (
    <ConfirmModal
      open={open}
      title={
        <>
          Reset <code>{tag}</code>?
        </>
      }
      description={`The badge starts again from 0. Its ${viewsOf(views)}, its base and its history are lost for good.`}
      yes="Reset"
      busy={patch.isPending}
      onClose={onClose}
      onConfirm={() =>
        patch.mutate({ tag, reset: true }, { onSuccess: () => succeed(`Reset ${tag}.`), onSettled: onClose })
      }
    />
  )
}

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
      onConfirm={() => release.mutate({ tag }, { onSuccess: () => succeed(`Released ${tag}.`), onSettled: onClose })}
    />
  )
}
