import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { succeed } from '../../../ui/toasts.ts'
import type { Invite, MadeInvite, NewInviteBody } from '../../invites/contract.ts'

const path = '/api/v1/admin/invites'

export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: async () => (await api.get<Invite[]>(path)).data,
})

export function useCreateInvite() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: NewInviteBody) => (await api.post<MadeInvite>(path, body)).data,
    onSuccess: () => client.invalidateQueries({ queryKey: invitesQuery.queryKey }),
  })
}

export function useRevokeInvite() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.delete(path, { params: { id } }),
    onSuccess: () => succeed('Revoked the invitation.'),
    onSettled: () => client.invalidateQueries({ queryKey: invitesQuery.queryKey }),
  })
}
