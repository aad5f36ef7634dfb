import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import type { Checked, LastImages, Preview } from '../contract.ts'
import { ghmdinvalidatorNames } from '../terms.ts'

const { id: tool, path } = ghmdinvalidatorNames

/** Asks about a URL when `ask` is called; what is answered about another one is not shown with this one, nor waited for. */
function useQuestion<Answer>(call: string, url: string) {
  const { mutate, variables, data, error, isPending } = useMutation({
    mutationFn: async (asked: string) => (await api.post<Answer>(`${path}/${call}`, { url: asked })).data,
  })
  const isAsked = variables === url
  const ask = (onError?: (error: Error) => void) => mutate(url, { ...(onError && { onError }) })
  return { ask, isPending: isAsked && isPending, data: isAsked ? data : undefined, error: isAsked ? error : null }
}

export const usePreview = (url: string) => useQuestion<Preview>('preview', url)
export const useCheck = (url: string) => useQuestion<Checked>('check', url)

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
