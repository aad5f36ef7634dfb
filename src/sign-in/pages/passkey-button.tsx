import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import css from '../../people/pages/auth.module.css'
import { Button } from '../../ui/components/button.tsx'
import { whenDone } from '../../ui/data/call.ts'
import { store, stored } from '../../ui/stored.ts'
import { complain } from '../../ui/toasts.ts'
import { answerWithPasskey, canUsePasskeys, useGoOn } from './passkeys.ts'

type Props = { tone?: 'primary' | 'plain'; isLast?: boolean }

/** A button to sign in with a passkey; renders nothing where passkeys don't work. */
export function PasskeyButton({ tone = 'plain', isLast = false }: Props) {
  const goOn = useGoOn()
  const signIn = useMutation({
    mutationFn: () => answerWithPasskey(),
    meta: { quiet: true },
  })
  if (!canUsePasskeys()) return null
  const done = () => {
    rememberMethod('passkey')
    void goOn()
  }
  return (
    <Button
      size="wide"
      tone={tone}
      disabled={signIn.isPending}
      onClick={() =>
        void whenDone(signIn.mutateAsync(undefined, { onError: ({ message }) => complain(message) }), done)
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
export const rememberMethod = (id: string) => store(key, id)

/** The last sign-in method in this browser, as of when the screen was opened. */
export const useLastMethod = (): string | null => useState(() => stored(key))[0]

export const LastUsed = () => <small className={css.last}>Last used</small>
