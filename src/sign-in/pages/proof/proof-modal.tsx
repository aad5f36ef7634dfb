import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { hasPassword } from '../../../people/contract.ts'
import authCss from '../../../people/pages/auth.module.css'
import type { SessionUser } from '../../../shared/user.ts'
import { Button, linkClass } from '../../../ui/components/button.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { reason } from '../../../ui/data/api.ts'
import { useCall } from '../../../ui/data/call.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { notifyError } from '../../../ui/toasts.ts'
import { providersQuery } from '../calls.ts'
import { HiddenUsername, ProviderButtons } from '../form.tsx'
import { authenticateWithPasskey, canUsePasskeys } from '../passkeys.ts'
import { ownFactorQuery } from '../second-factor/calls.ts'
import { proveAt, useProofElsewhere } from './other-window.ts'
import css from './proof.module.css'

type Props = { user: SessionUser; onEnd: (isProven: boolean) => void }

const words = {
  title: "Confirm that it's you",
  description:
    'You signed in a while ago, and this changes how someone signs in or what they can do. Confirm to continue.',
}

/** Asks the user to confirm their identity with a password, a code, a passkey or a provider. */
export function ProofModal({ user, onEnd }: Props) {
  const confirmed = useCallback(() => onEnd(true), [onEnd])
  useProofElsewhere(confirmed)
  const { data: factor } = useQuery(ownFactorQuery)
  const hasApp = factor?.app != null
  const hasPasskey = canUsePasskeys() && factor?.passkeys.some(({ works }) => works) === true
  const hasForm = hasPassword(user) || hasApp
  const others = <Others {...{ user, onEnd, hasPasskey, hasForm }} />
  if (hasForm) return <FormOfProof {...{ user, onEnd, hasApp, others }} />
  return (
    <Modal open {...words} finalFocus={dialogBelow} onClose={() => onEnd(false)}>
      {others}
      <ModalActions>
        <Button onClick={() => onEnd(false)}>Cancel</Button>
      </ModalActions>
    </Modal>
  )
}

/** The dialog underneath, to which focus returns: its button was disabled meanwhile and so lost it. */
const dialogBelow = () =>
  [...document.querySelectorAll<HTMLElement>('[role=dialog][data-open]')].findLast(
    (dialog) => !dialog.contains(document.activeElement),
  ) ?? true

type FormProps = Props & { hasApp: boolean; others: ReactNode }

function FormOfProof({ user, onEnd, hasApp, others }: FormProps) {
  const [byCode, setByCode] = useState(!hasPassword(user))
  const [text, setText] = useState('')
  const prove = useCall('POST /api/v1/auth/proof', { meta: { quiet: true } })
  const error = prove.error ? reason(prove.error) : undefined
  const send = () => {
    if (!prove.isPending) prove.mutate(byCode ? { code: text } : { password: text }, { onSuccess: () => onEnd(true) })
  }
  const swap = () => {
    setByCode(!byCode)
    setText('')
    prove.reset()
  }
  const field = { required: true, autoFocus: true, value: text, error, onChange: setText }
  return (
    <FormModal
      open
      {...words}
      finalFocus={dialogBelow}
      verb="Confirm"
      busy={prove.isPending}
      onClose={() => onEnd(false)}
      onSave={send}
      below={others}
    >
      <HiddenUsername of={user} />
      {byCode ? (
        <TextField
          key="code"
          label="Code"
          hint="From your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          {...field}
        />
      ) : (
        <TextField key="password" label="Password" type="password" autoComplete="current-password" {...field} />
      )}
      {hasPassword(user) && hasApp && (
        <button type="button" className={`${linkClass} ${css.swap}`} disabled={prove.isPending} onClick={swap}>
          {byCode ? 'Use your password instead' : 'Use a code instead'}
        </button>
      )}
    </FormModal>
  )
}

function Others({ user, onEnd, hasPasskey, hasForm }: Props & { hasPasskey: boolean; hasForm: boolean }) {
  const { data: offered = [], isPending } = useQuery(providersQuery)
  const prove = useMutation({ mutationFn: proveAt })
  const byPasskey = useMutation({
    mutationFn: () => authenticateWithPasskey({ prove: true }),
    meta: { quiet: true },
    onSuccess: () => onEnd(true),
    onError: (error) => notifyError(error.message),
  })
  const own = offered.filter(({ id }) => user.providers.some(({ providerId }) => providerId === id))
  if (own.length === 0 && !hasPasskey)
    return hasForm || isPending ? null : <p>You can't do this here. Sign out, sign in again, then make the change.</p>
  return (
    <div className={css.others}>
      {hasForm && <p className={authCss.or}>or</p>}
      {hasPasskey && (
        <Button size="wide" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          <KeyRound size={17} aria-hidden="true" />
          Confirm with a passkey
        </Button>
      )}
      <ProviderButtons providers={own} verb="Confirm with" busy={prove.isPending} onChoose={prove.mutate} />
    </div>
  )
}
