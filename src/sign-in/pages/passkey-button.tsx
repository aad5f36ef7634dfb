import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import css from '../../people/pages/auth.module.css'
import { readStorage, writeStorage } from '../../ui/browser-storage.ts'
import { Button } from '../../ui/components/button.tsx'
import { whenDone } from '../../ui/data/call.ts'
import { notifyError } from '../../ui/toasts.ts'
import { authenticateWithPasskey, canUsePasskeys, useFinishSignIn } from './passkeys.ts'

type Props = { tone?: 'primary' | 'plain'; isLast?: boolean }

/** A button to sign in with a passkey; renders nothing where passkeys don't work. */
export function PasskeyButton({ tone = 'plain', isLast = false }: Props) {
  const finishSignIn = useFinishSignIn()
  const signIn = useMutation({
    mutationFn: () => authenticateWithPasskey(),
    meta: { quiet: true },
  })
  if (!canUsePasskeys()) return null
  const done = () => {
    rememberMethod('passkey')
    void finishSignIn()
  }
  return (
    <Button
      size="wide"
      tone={tone}
      disabled={signIn.isPending}
      onClick={() =>
        void whenDone(signIn.mutateAsync(undefined, { onError: ({ message }) => notifyError(message) }), done)
      }
    >
      <KeyRound size={17} aria-hidden="true" />
      Use a passkey
      {isLast && <LastUsed />}
    </Button>
  )
}

const key = 'toolbox.sign-in'

/** Stores the last sign-in method in this browser: the id of a provider, `credentials` or `passkey`. */
export const rememberMethod = (id: string) => writeStorage(key, id)

/** The last sign-in method in this browser, as of when the screen was opened. */
export const useLastMethod = (): string | null => useState(() => readStorage(key))[0]

export const LastUsed = () => <small className={css.last}>Last used</small>
