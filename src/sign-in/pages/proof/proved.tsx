import { useEffect } from 'react'
import { AuthBox } from '../../../people/pages/auth-box.tsx'
import { useTitle } from '../../../ui/navigation/title.ts'
import { tellProven } from './other-window.ts'

/** Where a provider's window ends once the provider has confirmed who the user is. */
export function ProvedPage() {
  useTitle('Confirmed')
  useEffect(() => {
    tellProven()
    // Close only a window that was opened for this, not one in which a user entered the address.
    if (location.hash === '#close') close()
  }, [])
  return (
    <AuthBox title="Confirmed">
      <p>You can close this window and continue where you left off.</p>
    </AuthBox>
  )
}
