import { Button } from '../../../ui/components/button.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import type { User } from '../../contract.ts'
import { useResetFactor } from '../calls.ts'
import css from './user-form.module.css'

const useConfirmModal = lazyDialog(
  async () => (await import('../../../ui/components/modal/confirm-modal.tsx')).ConfirmModal,
)

const passkeysInWords = (count: number) => (count === 1 ? '1 passkey' : `${count === 0 ? 'No' : count} passkeys`)

/** Whether a user has a second factor and passkeys, and the button to reset them. */
export function SecondFactor({ user }: { user: User }) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const reset = useResetFactor()
  const isSelf = useSessionUser()?.id === user.id
  const hasAny = user.secondFactor || user.passkeys > 0
  return (
    <Part className={css.wide} aria-label="Two-step sign-in">
      <h2>Two-step sign-in</h2>
      <p className={css.none}>
        <StatusPill dot look={user.secondFactor ? 'ok' : 'off'} text={user.secondFactor ? 'On' : 'Off'} />{' '}
        {passkeysInWords(user.passkeys)}
      </p>
      {hasAny && !isSelf && (
        <div>
          <Button {...opener}>Reset Two-Step Sign-In</Button>
        </div>
      )}
      {Dialog && (
        <Dialog
          open={open}
          title={`Reset two-step sign-in of ${user.email} ?`}
          description={`${user.name} will be signed out, and can sign in without a code. Passkeys are deleted, unless they are the only way to sign in.`}
          yes="Reset"
          busy={reset.isPending}
          onClose={close}
          onConfirm={() => reset.mutate({ id: user.id }, { onSettled: close })}
        />
      )}
    </Part>
  )
}
