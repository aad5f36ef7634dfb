import { useMutation } from '@tanstack/react-query'
import { call, read } from '../../ui/data/call.ts'

export const providersQuery = read('GET /api/v1/auth/providers')

/** Opens a provider's sign-in page, whose URL the call returns; afterwards the user returns to `callbackURL`. */
export const useLeaveFor = (key: 'POST /api/auth/sign-in/social' | 'POST /api/auth/link-social', callbackURL: string) =>
  useMutation({
    mutationFn: (provider: string) => call(key, { provider, callbackURL }),
    onSuccess: ({ url }) => location.assign(url),
  })
