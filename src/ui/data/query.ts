import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import type { SessionUser } from '../../shared/user.ts'
import { complain } from '../toasts.ts'
import { isKeptBack, isUnreachable, reason, statusOf } from './api.ts'
import type { About } from './changes.ts'
import { askToSignIn, hasUnsaved, lacksNeeded } from './editing.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** Quiet queries and mutations show no toast when they fail. */
    queryMeta: { quiet?: boolean | ((error: unknown) => boolean); about?: About }
    mutationMeta: { quiet?: boolean }
  }
}

const isRefused = (error: unknown) => [401, 403].includes(statusOf(error) ?? 0)

/** Reloads the session after a refused call, which may mean that it has ended or changed. */
let reloadSession: () => Promise<unknown> = () => client.invalidateQueries({ queryKey: ['session'] })

/** Replaces how the session is reloaded after a refused call. */
export function onRefusal(reload: () => Promise<unknown>) {
  reloadSession = reload
}

const afterFailure = (error: unknown) => (isRefused(error) ? reloadSession() : Promise.resolve())

/** Whether the form on screen already tells why the user can't save. */
function isExplained(): boolean {
  const user = client.getQueryData<SessionUser | null>(['session'])
  return user === null || (user !== undefined && lacksNeeded(user))
}

/** `looked`: once the session is known again. The form on screen may tell of that, and may have told of it before. */
async function complainUnlessExplained(error: unknown, looked: Promise<unknown> | undefined) {
  if (looked && isExplained()) return
  if (looked) await looked
  if (!looked || !isExplained()) complain(reason(error))
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      const looked = afterFailure(error)
      const { quiet } = query.meta ?? {}
      if (isKeptBack(error) || (typeof quiet === 'function' ? quiet(error) : quiet)) return
      const isLost = isRefused(error) && hasUnsaved()
      // The data from before is still shown, and the reason for the failure is shown elsewhere.
      const isNoted = isUnreachable(error) || isLost || (statusOf(error) === 404 && hasUnsaved())
      if (isNoted && query.state.data !== undefined) return
      complainUnlessExplained(error, isLost ? looked : undefined)
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      const looked = afterFailure(error)
      if (statusOf(error) === 401 && hasUnsaved()) askToSignIn()
      // These are explained elsewhere, the latter by a dialog.
      if (mutation.meta?.quiet || isKeptBack(error)) return
      complainUnlessExplained(error, isRefused(error) && hasUnsaved() ? looked : undefined)
    },
  }),
  defaultOptions: {
    // By default, requests made offline wait, and are sent when nobody expects them any more.
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) =>
        onlineManager.isOnline() && statusOf(error) === undefined && !isKeptBack(error) && failures < 1,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

export const queryClient = client

/** Whether nothing could be loaded yet; also while it is asked for again, so that a button to press doesn't come and go. */
export const hasFailed = (found: { isError: boolean; isPending: boolean; errorUpdateCount: number }): boolean =>
  found.isError || (found.isPending && found.errorUpdateCount > 0)

/** Why there is no such record, for the form that finds one. */
export const notFoundBy = ({ error }: { error: unknown }): string | undefined =>
  statusOf(error) === 404 ? reason(error) : undefined

/**
 * The record that a query found, for a form. It stays while the server is unreachable or changes are unsaved, so that
 * nothing typed is lost; otherwise it is dropped once the server says that it doesn't exist or isn't for this user.
 */
export function foundBy<T>({ data, error }: { data: T | undefined; error: unknown }): T | undefined {
  const status = statusOf(error)
  const isAway = status === undefined || status >= 500
  return error && !isAway && !hasUnsaved() ? undefined : data
}
