import { queryOptions, useMutation } from '@tanstack/react-query'
import type { SessionUser } from '../../shared/user.ts'
import { api } from '../../ui/data/api.ts'

/** Signed in, or a second step is needed. */
export type SignInAnswer = { user: SessionUser } | { twoFactorRedirect: true }

type Provider = { id: string; name: string }

/** The configured sign-in providers. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async () => (await api.get<Provider[]>('/api/v1/auth/providers')).data,
})

/** Opens the sign-in page of the provider with this id, whose URL a POST to `path` returns; the user comes back to `callbackURL`. */
export const useLeaveFor = (path: string, callbackURL: string) =>
  useMutation({
    mutationFn: async (provider: string) => (await api.post<{ url: string }>(path, { provider, callbackURL })).data,
    onSuccess: ({ url }) => location.assign(url),
  })
