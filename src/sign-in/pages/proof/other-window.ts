import { useEffect } from 'react'
import { call } from '../../../ui/data/call.ts'
import { complain } from '../../../ui/toasts.ts'

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
    popup.location.assign((await call('POST /api/auth/link-social', body)).url)
  } catch (error) {
    popup.close()
    throw error
  }
}
