import { useSyncExternalStore } from 'react'

const phone = matchMedia('(max-width: 46rem)')

/** Whether the window is as narrow as a phone's; style sheets use the same breakpoint. */
export const useIsPhone = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      phone.addEventListener('change', tell)
      return () => phone.removeEventListener('change', tell)
    },
    () => phone.matches,
  )
