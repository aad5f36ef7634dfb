import { useSyncExternalStore } from 'react'

const phone = matchMedia('(max-width: 46rem)')

/** Whether the screen is as narrow as a phone's, where style sheets begin to differ, too. */
export const useIsPhone = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      phone.addEventListener('change', tell)
      return () => phone.removeEventListener('change', tell)
    },
    () => phone.matches,
  )
