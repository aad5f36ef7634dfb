import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../../ui/data/api.ts'
import type { AnnounceBody, Notification } from '../../../notifications/contract.ts'

const path = '/api/v1/admin/notifications'

/** What was announced lately, newest first. */
export const announcementsQuery = queryOptions({
  queryKey: ['announcements'],
  queryFn: async () => (await api.get<Notification[]>(path)).data,
})

export function useAnnounce() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: AnnounceBody) => api.post(path, body),
    onSuccess: () => client.invalidateQueries({ queryKey: announcementsQuery.queryKey }),
  })
}
