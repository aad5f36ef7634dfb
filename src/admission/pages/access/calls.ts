import { queryOptions, useMutation } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { succeed } from '../../../ui/toasts.ts'
import type { OwnRequest } from '../../access/contract.ts'

const path = '/api/v1/user/access-request'

/** The user's own latest request; the inbox hears of what is decided. */
export const ownRequestQuery = queryOptions({
  queryKey: ['access-request'],
  queryFn: async () => (await api.get<OwnRequest>(path)).data,
  meta: { about: { topic: 'inbox' }, quiet: true },
})

export const useAskForAccess = () =>
  useMutation({
    mutationFn: (message: string) => api.post(path, { message }),
    // The dialog says why it was refused.
    meta: { quiet: true },
    onSuccess: () => succeed('Request sent. An admin will look at it.'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ownRequestQuery.queryKey }),
  })
