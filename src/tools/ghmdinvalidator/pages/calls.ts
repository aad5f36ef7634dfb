import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import type { Checked, LastImages, Preview } from '../contract.ts'
import { ghmdinvalidatorTool } from '../tool.ts'

const { id: tool, path } = ghmdinvalidatorTool

export const usePreview = () =>
  useMutation({ mutationFn: async (url: string) => (await api.post<Preview>(`${path}/preview`, { url })).data })

export const useCheck = () =>
  useMutation({ mutationFn: async (url: string) => (await api.post<Checked>(`${path}/check`, { url })).data })

/** Where a copy of an image from the last comparison is. */
export const copyUrl = (id: string, picture: string) => `${path}/copy?id=${encodeURIComponent(id)}&picture=${picture}`

export const imagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['entries', tool, 'images', id],
    queryFn: async () => (await api.get<LastImages>(`${path}/images`, { params: { id } })).data,
    // The entry's own query shows the error.
    meta: { quiet: true, about: { topic: tool, id } },
  })

export function useRenewHook() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.post(`${path}/hook`, undefined, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['entries', tool] }),
  })
}
