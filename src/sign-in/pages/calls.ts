import { useMutation } from '@tanstack/react-query'
import { call, read } from '../../ui/data/call.ts'

export const providersQuery = read('GET /api/v1/auth/providers')

/** Opens the sign-in page of the provider with this id, whose URL the call answers; the user comes back to `callbackURL`. */
export const useLeaveFor = (key: 'POST /api/auth/sign-in/social' | 'POST /api/auth/link-social', callbackURL: string) =>
  useMutation({
    mutationFn: (provider: string) => call(key, { provider, callbackURL }),
    onSuccess: ({ url }) => location.assign(url),
  })
