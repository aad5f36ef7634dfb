import { queryOptions, useQuery } from '@tanstack/react-query'
import { minutes } from '../../../shared/time.ts'
import { Button } from '../../../ui/components/button.tsx'
import { call, reload, useCall } from '../../../ui/data/call.ts'
import { formatInterval, formatSince } from '../../../ui/format-time.ts'
import { keepaliveNames } from '../terms.ts'

const { id: topic } = keepaliveNames
const sleepQuery = (id: string) =>
  queryOptions({
    queryKey: ['entries', topic, 'sleep', id],
    queryFn: () => call('GET /api/v1/keepalive/sleep', { id }),
    meta: { quiet: true, about: { topic, id } },
  })

/** Shows the idle time after which an entry's app falls asleep, and suggests an interval without changing it. */
export function IdleTime({ id, onInterval }: { id: string; onInterval: (interval: number) => void }) {
  const { data } = useQuery(sleepQuery(id))
  const findOut = useCall('POST /api/v1/keepalive/sleep?id', {
    onSuccess: () => reload({ queryKey: sleepQuery(id).queryKey }),
  })
  if (!data) return null
  const { asleepAfter, awakeAfter, suggestion, until } = data
  return (
    <>
      <p>
        {asleepAfter === null
          ? "We don't know yet how long this app can idle before it falls asleep."
          : `Its runs found it asleep after ${asleepAfter} min and still awake after ${awakeAfter}. Other visitors also keep an app awake, so this may be wrong.`}
      </p>
      {until !== null && <p>Trying longer gaps until {formatSince(until)} at the latest.</p>}
      {suggestion !== null && (
        <Button size="small" onClick={() => onInterval(suggestion)}>
          Ping every {formatInterval(minutes(suggestion))}
        </Button>
      )}
      {until === null && suggestion === null && (
        <Button size="small" disabled={findOut.isPending} onClick={() => findOut.mutate({ id })}>
          Find out
          <span className="sr"> by trying longer gaps, for a day at most</span>
        </Button>
      )}
    </>
  )
}
