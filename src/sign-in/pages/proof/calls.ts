import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../../ui/data/api.ts'
import { complain } from '../../../ui/toasts.ts'

/** Proves who one is by the password or a code. */
export const useProve = () =>
  useMutation({
    mutationFn: (body: { password: string } | { code: string }) => api.post('/api/v1/auth/proof', body),
    meta: { quiet: true },
  })

const channel = 'toolbox.proof'

/** Tells this browser's other windows that a provider has confirmed who the user is. */
export function tellProven() {
  const sender = new BroadcastChannel(channel)
  sender.postMessage(true)
  sender.close()
}

/** Calls `onProven` once another window of this browser tells so. */
export function useProvenElsewhere(onProven: () => void) {
  useEffect(() => {
    const receiver = new BroadcastChannel(channel)
    receiver.addEventListener('message', onProven)
    return () => receiver.close()
  }, [onProven])
}

/** Signs in at a provider in a window of its own, so that this page stays as it is. */
export async function proveAt(provider: string) {
  // Opened before anything is awaited: browsers allow a window only as the direct consequence of a click.
  const popup = open('about:blank', '_blank', 'popup,width=560,height=720')
  if (!popup) return complain('Your browser blocked the window of the provider. Allow pop-ups for this page.')
  try {
    const body = { provider, callbackURL: '/auth/proved#close', prove: true }
    popup.location.assign((await api.post<{ url: string }>('/api/auth/link-social', body)).data.url)
  } catch (error) {
    popup.close()
    throw error
  }
}
