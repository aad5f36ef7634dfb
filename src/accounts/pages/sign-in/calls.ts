import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'

type Provider = { id: string; name: string }

/** The external providers one can sign in with here. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async () => (await api.get<Provider[]>('/api/v1/auth/providers')).data,
})
