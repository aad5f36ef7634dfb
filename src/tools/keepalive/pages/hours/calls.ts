import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../ui/data/api.ts'
import type { Advice, AdviceBody, Pool } from '../../contract.ts'
import { keepaliveNames } from '../../terms.ts'

const { id: topic, path } = keepaliveNames
const about = { topic, outlastsRuns: true } as const

/** The free hours that one's own entries take this month; none if that can't be told. */
export const forecastQuery = queryOptions({
  queryKey: ['entries', topic, 'forecast'],
  queryFn: async () => {
    try {
      return (await api.get<Pool[]>(`${path}/forecast`)).data
    } catch {
      return []
    }
  },
  meta: { quiet: true, about },
})

/** What the free hours of a host would be with the entry in a form. */
export const poolQuery = (entry: AdviceBody) =>
  queryOptions({
    queryKey: ['entries', topic, 'pool', entry],
    queryFn: async () => (await api.post<Advice>(`${path}/advice`, entry)).data.pool,
    placeholderData: (before: Pool | null | undefined) => before,
    // What is wrong with the entry is said when it is saved.
    meta: { quiet: true, about },
  })
