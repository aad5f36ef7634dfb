import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import type { SessionUser } from '../../shared/user.ts'
import { askToSignIn, hasUnsaved, lacksNeeded } from '../navigation/editing.ts'
import { complain } from '../toasts.ts'
import { isKeptBack, isUnreachable, reason, statusOf } from './api.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** Quiet ones fail without a toast. */
    queryMeta: { quiet?: boolean | (() => boolean) }
    mutationMeta: { quiet?: boolean }
  }
}

const isRefused = (error: unknown) => [401, 403].includes(statusOf(error) ?? 0)

/** A refused session makes every screen ask anew who is signed in. */
async function onRefusal(error: unknown) {
  if (isRefused(error)) await client.invalidateQueries({ queryKey: ['session'] })
}

/** Whether the form on screen says why whoever is here cannot save it. */
function isExplained(): boolean {
  const user = client.getQueryData<SessionUser | null>(['session'])
  return user === null || (user !== undefined && lacksNeeded(user))
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      void onRefusal(error)
      const quiet = query.meta?.quiet
      // What was read before is still shown, and why it cannot be read anew is said elsewhere.
      const isKept = isUnreachable(error) || (isRefused(error) && hasUnsaved())
      const isNoted = isKept || (statusOf(error) === 404 && hasUnsaved())
      const isStillThere = isNoted && query.state.data !== undefined
      if (!isStillThere && !(typeof quiet === 'function' ? quiet() : quiet)) complain(reason(error))
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      const looked = onRefusal(error)
      // A dialog asks what to do.
      if (mutation.meta?.quiet || isKeptBack(error)) return
      if (!isRefused(error) || !hasUnsaved()) return complain(reason(error))
      if (statusOf(error) === 401) askToSignIn()
      void looked.then(() => isExplained() || complain(reason(error)))
    },
  }),
  defaultOptions: {
    // By default what is asked for or written offline waits, and is sent when nobody expects it any more.
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => onlineManager.isOnline() && statusOf(error) === undefined && failures < 1,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

export const queryClient = client

/**
 * What a query has found, for a form: it stays while the server is away or changes are unsaved, or what is typed would be
 * gone with it. It goes when the server says that there is no such thing, or not for this user.
 */
export function foundBy<T>({ data, error }: { data: T | undefined; error: unknown }): T | undefined {
  const status = statusOf(error)
  const isAway = status === undefined || status >= 500
  return error && !isAway && !hasUnsaved() ? undefined : data
}
