import { queryOptions, useMutation } from '@tanstack/react-query'
import type { Found } from '../../entries/contract.ts'
import { seconds } from '../../shared/time.ts'
import { api } from '../../ui/data/api.ts'
import { queryClient } from '../../ui/data/query.ts'
import type { StatusPage } from '../contract.ts'
import type { Body } from './values.ts'

const path = '/api/v1/user/status'

export const statusPageQuery = queryOptions({
  queryKey: ['own', 'status-page'],
  queryFn: async () => (await api.get<StatusPage>(path)).data,
})

const keep = (page: StatusPage) => queryClient.setQueryData(statusPageQuery.queryKey, page)

export const useSavePage = () =>
  useMutation({
    mutationFn: async (body: Body) => (await api.put<StatusPage>(path, body)).data,
    onSuccess: keep,
  })

export const useDeletePage = () =>
  useMutation({
    mutationFn: () => api.delete(path),
    onSuccess: () => keep({ slug: null, title: '', text: '', entries: [], url: null, updatedAt: null }),
  })

/** The user's own entries with this text; the newest for an empty one. */
export const findQuery = (text: string) =>
  queryOptions({
    queryKey: ['own', 'status-page-entries', text],
    queryFn: async () => {
      const { rows } = (await api.get<{ rows: Found[] }>('/api/v1/search', { params: { text, mine: true } })).data
      return rows
    },
    staleTime: seconds(30),
    placeholderData: (before) => before,
  })
