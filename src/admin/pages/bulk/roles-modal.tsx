import { Suspense, useState } from 'react'
import { roleSentences, shownRoles } from '../../../people/pages/role-labels.ts'
import { type AccessLevel, accessLevels, type RoleName } from '../../../shared/user.ts'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { SelectField } from '../../../ui/form/select.tsx'
import { lazyPart } from '../../../ui/navigation/lazy.ts'
import { type Change, users } from './words.ts'

const RaiseModal = lazyPart(async () => (await import('../raise-modal.tsx')).RaiseModal)

const levels = [0, 1, 2] as const
type Choice = 'as is' | `${AccessLevel}`
const options: { value: Choice; label: string }[] = [
  { value: 'as is', label: 'Leave as it is' },
  ...levels.map((level) => ({ value: `${level}` as const, label: accessLevels[level] })),
]
const levelOf = (choice: Choice): AccessLevel | undefined => levels.find((level) => `${level}` === choice)

const asIs: Record<RoleName, Choice> = { Tools: 'as is', Admin: 'as is' }

/** Asks for the levels that the selected users get; others stay as they are. */
export function RolesModal(props: {
  open: boolean
  count: number
  busy: boolean
  onClose: () => void
  onSave: (change: Change) => void
}) {
  const { open, count, busy, onClose, onSave } = props
  const draft = useDraft(asIs)
  const [isUnsure, setUnsure] = useState(false)
  const roles = Object.fromEntries(
    shownRoles.flatMap((role) => {
      const level = levelOf(draft.values[role])
      return level === undefined ? [] : [[role, level] as const]
    }),
  )
  const { Admin = 0 } = roles
  const isNone = Object.keys(roles).length === 0
  const send = () => onSave({ roles })
  const form = useDialogForm({
    open,
    draft,
    body: () => roles,
    check: () => (isNone ? { Tools: 'Select a level for at least one role.' } : {}),
    mutation: { isPending: busy, mutate: () => (Admin > 0 ? setUnsure(true) : send()) },
    onSaved: onClose,
  })
  if (isUnsure && Admin > 0)
    return (
      <Suspense>
        <RaiseModal
          open={open}
          who={users(count)}
          level={Admin === 1 ? 1 : 2}
          busy={busy}
          onClose={onClose}
          onConfirm={send}
        />
      </Suspense>
    )
  return (
    <FormModal {...form} title={`Set roles of ${users(count)}`} verb="Set roles" onClose={onClose}>
      {shownRoles.map((role) => {
        const level = levelOf(draft.values[role])
        return (
          <SelectField
            key={role}
            label={role}
            options={options}
            value={draft.values[role]}
            hint={level === undefined ? 'Everybody keeps the level they have.' : roleSentences[role][level]}
            error={isNone ? draft.errors[role] : undefined}
            onChange={(choice) => draft.set(role, choice)}
          />
        )
      })}
    </FormModal>
  )
}
