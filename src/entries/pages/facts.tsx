import { Link } from '@tanstack/react-router'
import { CirclePause, CirclePlay, Copy, CopyPlus, Play } from 'lucide-react'
import type { ComponentType } from 'react'
import { useTimeDependent } from '../../ui/clock.ts'
import { Button, IconButton, iconButtonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { Ago } from '../../ui/components/moment.tsx'
import { formatAge, formatDuration, formatTimeInZone } from '../../ui/format-time.ts'
import { lazyTooltip } from '../../ui/tip.ts'
import { useRunNow, useSwitch } from './calls.ts'
import css from './facts.module.css'
import { createPath } from './head.tsx'
import { formatNext, isTrouble, useStatusReason } from './health/status.tsx'
import type { Detail, PageNames } from './tool-pages.ts'

type Props = { tool: PageNames; entry: Detail }

export function Acts(props: Props & { hasRuns: boolean; Act?: ComponentType<Props> | undefined }) {
  const { tool, entry, hasRuns, Act = RunNow } = props
  const { id, status } = entry
  const change = useSwitch()
  const Icon = status ? CirclePause : CirclePlay
  return (
    <>
      {hasRuns && <Act tool={tool} entry={entry} />}
      <Button disabled={change.isPending} onClick={() => change.mutate({ tool: tool.id, id, status: !status })}>
        <Icon size={15} aria-hidden="true" />
        {status ? 'Pause' : 'Activate'}
      </Button>
      <Link
        to={createPath(tool)}
        search={{ from: id }}
        className={iconButtonClass}
        aria-label="Duplicate"
        title="Duplicate"
      >
        <CopyPlus size={16} aria-hidden="true" />
      </Link>
    </>
  )
}

function RunNow({ tool, entry: { id } }: Props) {
  const run = useRunNow()
  return (
    <Button disabled={run.isPending} onClick={() => run.mutate({ tool: tool.id, id })}>
      <Play size={14} aria-hidden="true" />
      Run now
    </Button>
  )
}

export function Facts(props: {
  entry: Detail
  /** The noun for one of its runs. */
  run: string
  subject: string | undefined
  hasRuns: boolean
}) {
  const { entry, run, subject, hasRuns } = props
  return (
    <span className={css.facts}>
      {hasRuns && <LastRun entry={entry} run={run} />}
      <NextRun entry={entry} />
      {subject !== undefined && (
        <span className={css.subject}>
          <code title={subject}>{subject}</code>
          <IconButton label="Copy address" onClick={() => void copy(subject)}>
            <Copy size={14} aria-hidden="true" />
          </IconButton>
        </span>
      )}
    </span>
  )
}

function LastRun({ entry, run }: { entry: Detail; run: string }) {
  const { health, lastRun } = entry
  const why = useStatusReason(entry)
  if (isTrouble(health)) return why && <b className={css.bad}>{why}</b>
  if (health === 'paused' && why) return <span>Paused: {why}</span>
  if (!lastRun) return <span>No {run}s yet</span>
  const { timestamp, duration } = lastRun
  return (
    <span>
      Last {run} <Ago at={timestamp} />
      {duration !== undefined && `, took ${formatDuration(duration)}`}
    </span>
  )
}

export function NextRun({ entry: { nextRunAt, waitingSince, lastRun } }: Pick<Props, 'entry'>) {
  const at = waitingSince ?? nextRunAt
  const when = useTimeDependent(at, () => (waitingSince !== null || at === null ? formatAge(at) : formatNext(at)))
  if (nextRunAt === null) return null
  return (
    <span {...lazyTooltip(() => formatTimeInZone(at))}>
      {waitingSince !== null && `Was due ${when}. Waiting for other entries on this host.`}
      {waitingSince === null && (when === 'running' ? 'Running' : `${lastRun ? 'Next' : 'First'} run ${when}`)}
    </span>
  )
}
