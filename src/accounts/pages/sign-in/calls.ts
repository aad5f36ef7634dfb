import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'

type Provider = { id: string; name: string }

/** The configured sign-in providers. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async () => (await api.get<Provider[]>('/api/v1/auth/providers')).data,
})
