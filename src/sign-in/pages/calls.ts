import { useMutation } from '@tanstack/react-query'
import { call, callQuery } from '../../ui/data/call.ts'

export const providersQuery = callQuery('GET /api/v1/auth/providers')

/** Opens a provider's sign-in page, whose URL the call returns; afterwards the user returns to `callbackURL`. */
export const useRedirectToProvider = (
  key: 'POST /api/auth/sign-in/social' | 'POST /api/auth/link-social',
  callbackURL: string,
) =>
  useMutation({
    mutationFn: (provider: string) => call(key, { provider, callbackURL }),
    onSuccess: ({ url }) => location.assign(url),
  })
