import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { reason, statusOf } from './api.ts'
import { complain } from './toasts.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** Quiet ones fail without a toast. */
    queryMeta: { quiet?: boolean | (() => boolean) }
    mutationMeta: { quiet?: boolean }
  }
}

/** A refused session makes every screen ask anew who is signed in. */
function onRefusal(error: unknown) {
  const status = statusOf(error)
  if (status === 401 || status === 403) void client.invalidateQueries({ queryKey: ['session'] })
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      onRefusal(error)
      const quiet = query.meta?.quiet
      if (!(typeof quiet === 'function' ? quiet() : quiet)) complain(reason(error))
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      onRefusal(error)
      if (!mutation.meta?.quiet) complain(reason(error))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => statusOf(error) === undefined && failures < 1,
    },
  },
})

export const queryClient = client
