import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { mostIds } from '../../../shared/schemas/bulk.ts'
import { call } from '../../../ui/data/call.ts'
import { sessionQuery } from '../../../ui/data/session.ts'
import { actInPieces, type Outcome, outcomeNote } from '../../../ui/table/selection/in-pieces.ts'
import { notify } from '../../../ui/toasts.ts'
import type { ChangeUsersBody, UsersTogether } from '../../bulk/contract.ts'
import { said } from './words.ts'

export type Wanted = Omit<ChangeUsersBody, 'ids'> | 'delete'

async function act(wanted: Wanted, ids: string[]) {
  if (wanted === 'delete') return call('POST /api/v1/admin/users/bulk', { ids, act: 'delete' })
  const { changed: done, ...rest } = await call('PATCH /api/v1/admin/users', { ...wanted, ids })
  return { done, ...rest }
}

/** Changes or deletes many users and says what came of it; `onDone` hears it at the same moment, before the rows are asked for again. */
export function useActOnUsers(onProgress: (count: number) => void, onDone: (answer: Outcome) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, wanted }: { ids: readonly string[]; wanted: Wanted }) =>
      actInPieces(ids, (some) => act(wanted, [...some]), onProgress),
    onSuccess: (answer, { wanted }) => {
      onDone(answer)
      notify(outcomeNote(wanted === 'delete' ? 'deleted' : said(wanted), answer))
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
      return client.invalidateQueries({ queryKey: ['users'] })
    },
  })
}

const none: UsersTogether = { users: 0, active: 0, admins: 0, entries: 0, sessions: 0 }

/** What these users have together. */
export const togetherQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['users', 'together', ids],
    queryFn: async () => {
      const sum = { ...none }
      for (let at = 0; at < ids.length; at += mostIds) {
        const some = await call('POST /api/v1/admin/users/together', { ids: ids.slice(at, at + mostIds) })
        for (const key of ['users', 'active', 'admins', 'entries', 'sessions'] as const) sum[key] += some[key]
      }
      return sum
    },
    // What a dialog says must be true when it opens.
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  })
