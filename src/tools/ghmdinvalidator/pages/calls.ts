import { queryOptions, useMutation } from '@tanstack/react-query'
import { call, reload, useCall } from '../../../ui/data/call.ts'
import { ghmdinvalidatorNames } from '../terms.ts'

const { id: tool, path } = ghmdinvalidatorNames

/** Makes a call for the URL when `ask` is called, and ignores the state and result of calls for other URLs. */
function useCallOnDemand<Answer>(mutationFn: (requestedUrl: string) => Promise<Answer>, url: string) {
  const { mutate, variables, data, error, isPending } = useMutation({ mutationFn })
  const isAsked = variables === url
  const ask = (onError?: (error: Error) => void) => mutate(url, { ...(onError && { onError }) })
  return { ask, isPending: isAsked && isPending, data: isAsked ? data : undefined, error: isAsked ? error : null }
}

export const usePreview = (address: string) =>
  useCallOnDemand((url) => call('POST /api/v1/ghmdinvalidator/preview', { url }), address)
export const useCheck = (address: string) =>
  useCallOnDemand((url) => call('POST /api/v1/ghmdinvalidator/check', { url }), address)

export const copyUrl = (id: string, picture: string) => `${path}/copy?id=${encodeURIComponent(id)}&picture=${picture}`

export const imagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['entries', tool, 'images', id],
    queryFn: () => call('GET /api/v1/ghmdinvalidator/images', { id }),
    // The entry's own query shows the error.
    meta: { quiet: true, about: { topic: tool, id } },
  })

export const useRenewHook = () =>
  useCall('POST /api/v1/ghmdinvalidator/hook?id', { onSuccess: () => reload({ queryKey: ['entries', tool] }) })
