import { queryOptions } from '@tanstack/react-query'
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
