import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../web/api.ts'

/**
 * Goes to a provider's own site by the address the server answers to `path`.
 * Busy until the page is left, and free again when the browser brings it back.
 */
export function useLeaveFor(path: string, callbackURL: string) {
  const [leaving, setLeaving] = useState(false)
  const go = useMutation({
    mutationFn: async (provider: string) => (await api.post<{ url: string }>(path, { provider, callbackURL })).data,
    onSuccess: ({ url }) => {
      setLeaving(true)
      location.assign(url)
    },
  })
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => event.persisted && setLeaving(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])
  return { busy: go.isPending || leaving, leaveFor: (provider: string) => go.mutate(provider) }
}
