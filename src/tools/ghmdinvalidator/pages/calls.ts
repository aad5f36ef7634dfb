import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { ghmdinvalidator, type LastImages, type Preview } from '../contract.ts'

const { id: tool, path } = ghmdinvalidator

/** What a run of this page would find. */
export const usePreview = () =>
  useMutation({ mutationFn: async (url: string) => (await api.post<Preview>(`${path}/preview`, { url })).data })

/** What the last run that could read the page found there. */
export const imagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['entries', tool, 'images', id],
    queryFn: async () => (await api.get<LastImages>(`${path}/images`, { params: { id } })).data,
    // Of an entry that is gone the entry's own query tells.
    meta: { quiet: true },
  })

/** Gives the hook of this entry another address. */
export function useRenewHook() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.post(`${path}/hook`, undefined, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['entries', tool] }),
  })
}
