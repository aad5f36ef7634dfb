import { useEffect } from 'react'
import { AuthBox } from '../../../people/pages/auth-box.tsx'
import { useTitle } from '../../../ui/navigation/title.ts'
import { broadcastProof } from './other-window.ts'

/** The final page in a provider's window, after the provider has confirmed the user's identity. */
export function ProvedPage() {
  useTitle('Confirmed')
  useEffect(() => {
    broadcastProof()
    // Close only a window that was opened for this, not one where the user entered the address.
    if (location.hash === '#close') close()
  }, [])
  return (
    <AuthBox title="Confirmed">
      <p>You can close this window and continue where you left off.</p>
    </AuthBox>
  )
}
