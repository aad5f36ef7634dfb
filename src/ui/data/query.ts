import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import type { SessionUser } from '../../shared/user.ts'
import { notifyError } from '../toasts.ts'
import { isCallCanceled, isUnreachable, reason, statusOf } from './api.ts'
import type { ChangeTopics } from './changes.ts'
import { askToSignIn, hasUnsaved, lacksNeededRole } from './editing.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** Quiet queries and mutations show no toast when they fail. */
    queryMeta: { quiet?: boolean | ((error: unknown) => boolean); about?: ChangeTopics }
    mutationMeta: { quiet?: boolean }
  }
}

const isRefused = (error: unknown) => [401, 403].includes(statusOf(error) ?? 0)

/** Reloads the session after a refused call, which may mean that it has ended or changed. */
async function reloadSessionIfRefused(error: unknown) {
  if (isRefused(error)) await client.invalidateQueries({ queryKey: ['session'] })
}

/** Whether the form on screen already explains why the user can't save. */
function isExplained(): boolean {
  const user = client.getQueryData<SessionUser | null>(['session'])
  return user === null || (user !== undefined && lacksNeededRole(user))
}

/** Shows the error unless the form on screen explains it, now or once the session has been reloaded. */
async function notifyErrorUnlessExplained(error: unknown, sessionReload: Promise<void> | undefined) {
  if (sessionReload && isExplained()) return
  if (sessionReload) await sessionReload
  if (!sessionReload || !isExplained()) notifyError(reason(error))
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // A proxy that refuses the session itself would be asked forever.
      const sessionReload = query.queryKey[0] === 'session' ? undefined : reloadSessionIfRefused(error)
      const { quiet } = query.meta ?? {}
      // The user has just left, so the screen that asked is about to close.
      const isLate = isRefused(error) && client.getQueryData(['session']) === null
      if (isCallCanceled(error) || isLate || (typeof quiet === 'function' ? quiet(error) : quiet)) return
      const isLost = isRefused(error) && hasUnsaved()
      // The previous data is still shown, and so is the reason for the failure.
      const isNoted = isUnreachable(error) || isLost || (statusOf(error) === 404 && hasUnsaved())
      if (isNoted && query.state.data !== undefined) return
      notifyErrorUnlessExplained(error, isLost ? sessionReload : undefined)
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      const sessionReload = reloadSessionIfRefused(error)
      if (statusOf(error) === 401 && hasUnsaved()) askToSignIn()
      // Both are explained elsewhere, the latter by a dialog.
      if (mutation.meta?.quiet || isCallCanceled(error)) return
      notifyErrorUnlessExplained(error, isRefused(error) && hasUnsaved() ? sessionReload : undefined)
    },
  }),
  defaultOptions: {
    // By default, offline requests are queued, and sent when the user no longer expects them.
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) =>
        onlineManager.isOnline() && statusOf(error) === undefined && !isCallCanceled(error) && failures < 1,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

export const queryClient = client

/** Whether loading failed. Stays true during a retry, so that the retry button doesn't flicker. */
export const hasFailed = (found: { isError: boolean; isPending: boolean; errorUpdateCount: number }): boolean =>
  found.isError || (found.isPending && found.errorUpdateCount > 0)

/** The "not found" message for the find form; undefined for other results. */
export const notFoundMessage = ({ error }: { error: unknown }): string | undefined =>
  statusOf(error) === 404 ? reason(error) : undefined

/** A form's record; undefined if the server refuses it, unless changes are unsaved. An outage doesn't drop it. */
export function formRecordOf<T>({ data, error }: { data: T | undefined; error: unknown }): T | undefined {
  const status = statusOf(error)
  const isAway = status === undefined || status >= 500
  return error && !isAway && !hasUnsaved() ? undefined : data
}
