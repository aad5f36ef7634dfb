import { useEffect } from 'react'
import { call } from '../../../ui/data/call.ts'
import { notifyError } from '../../../ui/toasts.ts'

const channel = 'toolbox.proof'

/** Notifies this browser's other windows that a provider has confirmed the user's identity. */
export function broadcastProof() {
  const sender = new BroadcastChannel(channel)
  sender.postMessage(true)
  sender.close()
}

export function useProofElsewhere(onProven: () => void) {
  useEffect(() => {
    const receiver = new BroadcastChannel(channel)
    receiver.addEventListener('message', onProven)
    return () => receiver.close()
  }, [onProven])
}

/** Signs in at a provider in a separate window, so that this page keeps its state. */
export async function proveAt(provider: string) {
  // Open the window before awaiting anything: browsers allow pop-ups only directly on a click.
  const popup = open('about:blank', '_blank', 'popup,width=560,height=720')
  if (!popup) return notifyError('Your browser blocked the window of the provider. Allow pop-ups for this page.')
  try {
    const body = { provider, callbackURL: '/auth/proved#close', prove: true }
    popup.location.assign((await call('POST /api/auth/link-social', body)).url)
  } catch (error) {
    popup.close()
    throw error
  }
}
