import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../../ui/data/call.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { reportValidity, showServerErrorsOrNotify } from '../../../ui/form/editor.ts'
import { notifyInfo, notifySuccess } from '../../../ui/toasts.ts'
import { afterSignIn } from '../passkeys.ts'

const places = { 'signed in': '/', 'second step': '/auth/second-step', 'signed out': '/auth/signin/user' } as const

const signIn = (credentials: { username: string; password: string }): Promise<keyof typeof places> =>
  call('POST /api/auth/sign-in/username', credentials).then(
    (answer) => ('twoFactorRedirect' in answer ? 'second step' : 'signed in'),
    () => 'signed out',
  )

/** Sets a password and signs in with it. The link is used up by then, so a failed sign-in still shows `done`. */
export function useSetPassword<Values extends { password: string }>(options: {
  draft: Draft<Values>
  /** Checks the values against the contract and returns errors by field; the server checks the link. */
  check: (values: Values) => Record<string, string>
  send: (values: Values) => Promise<string>
  done: string
  /** Returns true for an error that is shown elsewhere. */
  isTold?: (error: unknown) => boolean
  onDone?: () => Promise<unknown>
}) {
  const { draft, check, send, done, isTold, onDone } = options
  const navigate = useNavigate()
  const set = useMutation({
    mutationFn: async ({ values }: Draft<Values>) =>
      signIn({ username: await send(values), password: values.password }),
    meta: { quiet: true },
    onSuccess: async (state) => {
      await afterSignIn()
      if (state === 'signed in') notifySuccess(done)
      else notifyInfo(state === 'second step' ? done : `${done} Sign in now.`)
      await navigate({ to: places[state], replace: true })
      await onDone?.()
    },
    onError: (error, sent) => isTold?.(error) || showServerErrorsOrNotify(sent, error),
  })
  const onSend = () => {
    if (set.isPending) return
    const wrong = Object.entries(check(draft.values)).filter(([name]) => name in draft.values)
    if (reportValidity(draft, Object.fromEntries(wrong))) set.mutate(draft)
  }
  return { busy: set.isPending, onSend }
}
