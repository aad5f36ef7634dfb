import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../ui/data/api.ts'
import { succeed } from '../../ui/toasts.ts'
import type { Dismissal, FirstSteps, SelfCheckFinding } from '../contract.ts'

export const healthQuery = queryOptions({
  queryKey: ['self-check'],
  queryFn: async () => (await api.get<SelfCheckFinding[]>('/api/v1/admin/health')).data,
})

const stepsPath = '/api/v1/admin/first-steps'
export const stepsQuery = queryOptions({
  queryKey: ['first-steps'],
  queryFn: async () => (await api.get<FirstSteps>(stepsPath)).data,
  meta: { quiet: true },
})

export function useDismiss() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: Dismissal) => (await api.patch<FirstSteps>(stepsPath, body)).data,
    onSuccess: (steps) => {
      client.setQueryData(stepsQuery.queryKey, steps)
      succeed('Dismissed for all admins.')
    },
  })
}
