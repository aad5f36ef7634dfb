import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../../ui/data/call.ts'
import { formatViews, pollInterval } from './figures.ts'
import css from './owned.module.css'

const query = { refetchInterval: pollInterval, meta: { quiet: true } }

export function Today() {
  const { data } = useQuery({ ...callQuery('GET /api/v1/badges/today'), ...query })
  const { data: owned = [] } = useQuery({ ...callQuery('GET /api/v1/user/badges'), ...query })
  const days = owned[0]?.recent.map((_, day) => owned.reduce((sum, { recent }) => sum + (recent[day] ?? 0), 0))
  return (
    <>
      <p>
        {data && (
          <>
            <b>{formatViews(data.views)}</b> today
          </>
        )}
      </p>
      {days && <Sparkline of="your badges" numbers={days} />}
    </>
  )
}

const [width, height] = [90, 24]

/** A bar for each day, oldest on the left. */
export function Sparkline({ of, numbers }: { of: string; numbers: readonly number[] }) {
  const most = Math.max(1, ...numbers)
  const total = numbers.reduce((sum, one) => sum + one, 0)
  const slot = width / numbers.length
  return (
    <svg
      className={css.sparkline}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Views of ${of} in the last ${numbers.length} days: ${total}, at most ${Math.max(0, ...numbers)} a day`}
    >
      {numbers.map((one, day) => {
        const tall = one === 0 ? 1 : Math.max(2, (one / most) * height)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place of a day is what it is
            key={day}
            className={one === 0 ? css.empty : undefined}
            x={day * slot}
            width={slot - 1}
            y={height - tall}
            height={tall}
          />
        )
      })}
    </svg>
  )
}
