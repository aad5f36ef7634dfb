import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { formatCount } from '../../shared/count.ts'
import { seconds } from '../../shared/time.ts'
import { useTimeDependent } from '../../ui/clock.ts'
import { iconButtonClass, linkClass } from '../../ui/components/button.tsx'
import surface from '../../ui/components/surface.module.css'
import { type Answer, callQuery, reload, useCall } from '../../ui/data/call.ts'
import { formatSpan } from '../../ui/format-time.ts'
import { bellContainerId } from '../../ui/shell/open-requests.ts'
import { timeNow } from '../../ui/time-now.ts'
import css from './progress.module.css'

const goingOn = 'GET /api/v1/user/progress'
type Going = Answer<typeof goingOn>[number]

const titles: Record<Going['kind'], string> = { run: 'Run now', import: 'First runs of an import' }
const share = (jobs: readonly Pick<Going, 'done' | 'total'>[]) => {
  const sum = (key: 'done' | 'total') => jobs.reduce((sum, one) => sum + one[key], 0)
  return Math.floor((100 * sum('done')) / sum('total'))
}

/** The progress of the user's batches of runs, in the header. */
export function Progress() {
  const { data: jobs = [] } = useQuery({
    ...callQuery(goingOn),
    refetchInterval: ({ state }) => (state.data?.length ? seconds(2) : false),
    meta: { quiet: true },
  })
  const [open, setOpen] = useState(false)
  const place = document.getElementById(bellContainerId)
  if (!place || jobs.length === 0) return null
  const percent = share(jobs)
  return createPortal(
    <Dialog.Root open={open} modal={false} onOpenChange={setOpen}>
      <Dialog.Trigger
        className={css.button}
        data-jobs
        aria-label={`Background jobs, ${percent}%`}
        title="Background jobs"
      >
        <svg className={css.ring} viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="7" />
          <circle cx="10" cy="10" r="7" pathLength="100" strokeDasharray={`${percent} 100`} />
        </svg>
        <span>{percent}%</span>
      </Dialog.Trigger>
      <Dialog.Portal container={place}>
        <Dialog.Popup className={`${surface.raised} ${surface.drop} ${css.panel}`}>
          <header>
            <Dialog.Title className={css.title}>Background jobs</Dialog.Title>
            <Dialog.Close className={iconButtonClass} aria-label="Close" title="Close">
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </header>
          <ul>
            {jobs.map((one) => (
              <Job key={one.id} job={one} />
            ))}
          </ul>
          <footer>Jobs keep running when you close this tab.</footer>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>,
    place,
  )
}

function Job({ job: { id, kind, total, done, endsAt } }: { job: Going }) {
  const stop = useCall('DELETE /api/v1/user/progress', { onSettled: () => reload(goingOn) })
  const timeLeft = useTimeDependent(endsAt, () => formatSpan(endsAt - timeNow()))
  return (
    <li>
      <h3>{titles[kind]}</h3>
      <span>{endsAt > timeNow() && `About ${timeLeft} left`}</span>
      <progress aria-label={titles[kind]} max={total} value={done} />
      <span>
        {formatCount(done)} of {formatCount(total)} · {share([{ done, total }])}%
      </span>
      <button type="button" className={linkClass} disabled={stop.isPending} onClick={() => stop.mutate({ id })}>
        Stop<span className="sr"> {titles[kind]}</span>
      </button>
    </li>
  )
}
