import { useQuery } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import type { ViewsToday } from '../contract.ts'
import { todayPath } from '../terms.ts'
import { viewsOf } from './days.ts'
import { lookEvery } from './figures.ts'

/** How often the badges of this server were viewed today. */
export function Today() {
  const { data } = useQuery({
    queryKey: ['badge views today'],
    queryFn: async () => (await api.get<ViewsToday>(todayPath)).data.views,
    refetchInterval: lookEvery,
    meta: { quiet: true },
  })
  if (data === undefined) return null
  return (
    <>
      <b>{viewsOf(data)}</b> today
    </>
  )
}
