import { useQuery } from '@tanstack/react-query'
import { read } from '../../../ui/data/call.ts'
import { lookEvery, viewsOf } from './figures.ts'

/** How often the badges of this server were viewed today. */
export function Today() {
  const { data } = useQuery({
    ...read('GET /api/v1/badges/today'),
    refetchInterval: lookEvery,
    meta: { quiet: true },
  })
  if (!data) return null
  return (
    <>
      <b>{viewsOf(data.views)}</b> today
    </>
  )
}
