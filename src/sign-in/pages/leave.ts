import { useMutation } from '@tanstack/react-query'
import { api } from '../../ui/data/api.ts'

/** Opens the sign-in page of the provider with this id, whose URL a POST to `path` returns; the user comes back to `callbackURL`. */
export const useLeaveFor = (path: string, callbackURL: string) =>
  useMutation({
    mutationFn: async (provider: string) => (await api.post<{ url: string }>(path, { provider, callbackURL })).data,
    onSuccess: ({ url }) => location.assign(url),
  })
