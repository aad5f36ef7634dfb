import { useMutation } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'

/** Goes to the site of the provider with this id, by the address the server answers to `path`; ends at `callbackURL` here. */
export const useLeaveFor = (path: string, callbackURL: string) =>
  useMutation({
    mutationFn: async (provider: string) => (await api.post<{ url: string }>(path, { provider, callbackURL })).data,
    onSuccess: ({ url }) => location.assign(url),
  })
