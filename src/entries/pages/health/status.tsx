import type { ReactNode } from 'react'
import { useTimeDependent } from '../../../ui/clock.ts'
import { Status } from '../../../ui/components/status.tsx'
import { formatAge, formatDay, formatDuration, formatSpan, formatTimeInZone } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { lazyTooltip } from '../../../ui/tip.ts'
import type { Health } from '../../contract.ts'
import type { Item, PageNames } from '../tool-pages.ts'
import css from './status.module.css'

type Tool = Pick<PageNames, 'works'>
type Doing = Pick<
  Item,
  'status' | 'health' | 'failingSince' | 'pausedSince' | 'awake' | 'onlyReminds' | 'lastRun' | 'nextRunAt'
>

export const healthLabels = ({ works }: Tool): Readonly<Record<Health, string>> => ({
  failing: 'Failing',
  blocked: 'Blocked',
  paused: 'Paused',
  new: 'New',
  ok: works,
})

/** Returns `in 20 seconds`, for example, or `running` once the time has come. */
export const formatNext = (at: number): string => (at <= timeNow() + 1_000 ? 'running' : formatAge(at))

export const isTrouble = (health: Health) => health === 'failing' || health === 'blocked'

/** `warning` is shown while the entry works, `untried` while it is new. */
export function EntryStatus(props: {
  entry: Doing
  tool: Tool
  size: 's' | 'l'
  warning?: string | undefined
  untried?: ReactNode
}) {
  const { entry, tool, size, warning, untried } = props
  const { health, failingSince, pausedSince, awake, onlyReminds } = entry
  const why = useStatusReason(entry)
  const works = health === 'ok' || health === 'new'
  const warns = works && warning !== undefined
  const isReminder = works && onlyReminds
  return (
    <Status
      state={isReminder ? 'new' : health}
      size={size}
      awake={health === 'paused' ? null : awake}
      word={
        pausedSince === null ? (
          <Since
            word={isReminder ? 'Reminder only' : healthLabels(tool)[health]}
            at={isTrouble(health) ? failingSince : null}
          />
        ) : (
          <span {...lazyTooltip(() => formatTimeInZone(pausedSince))}>Paused since {formatDay(pausedSince)}</span>
        )
      }
    >
      {size === 's' &&
        (warns ? (
          <span className={css.warning}>{warning}</span>
        ) : (
          (health === 'new' && untried) || (!isReminder && why)
        ))}
    </Status>
  )
}

/** Shows `Failing for 5 hours`, for example, with the exact time as the tooltip. */
export function Since({ word, at }: { word: string; at: number | null }) {
  const words = useTimeDependent(at, () => (at === null ? word : `${word} for ${formatSpan(timeNow() - at)}`))
  return at === null ? word : <span {...lazyTooltip(() => formatTimeInZone(at))}>{words}</span>
}

export function useStatusReason({ status, health, lastRun, nextRunAt }: Doing): string | undefined {
  const firstRun = health === 'new' ? nextRunAt : null
  const next = useTimeDependent(firstRun, () => (firstRun === null ? '' : formatNext(firstRun)))
  if (isTrouble(health)) return lastRun?.success === false ? lastRun.note : undefined
  if (health === 'paused') return status ? "its owner's account is not active" : undefined
  if (health === 'new' && next !== '') return next === 'running' ? next : `first run ${next}`
  return lastRun?.note ?? (lastRun?.duration === undefined ? undefined : formatDuration(lastRun.duration))
}
