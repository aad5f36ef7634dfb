import { useEffect, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { dayOf, days, type Instant, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import { mostWatched, type Source, watchPath } from '../terms.ts'

/** Polling interval while there is no stream. */
export const pollInterval: Milliseconds = minutes(1)
/** Minimum time between two updates of the screen. */
const minUpdateInterval: Milliseconds = seconds(1)

type Figures = Readonly<Record<string, number>>

/** `revision` increases with each change, every minute without a stream, and when the user returns to this tab. */
export function useFigures(tags: readonly string[]): { figures: Figures; revision: number } {
  const [state, setState] = useState<{ figures: Figures; revision: number }>({ figures: {}, revision: 0 })
  const watched = tags.slice(0, mostWatched).join(',')
  useEffect(() => {
    if (watched === '') return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let gathered: Record<string, number> = {}
    let shownAt: number | undefined

    const show = () => {
      const received = gathered
      const step = shownAt === undefined ? 0 : 1
      gathered = {}
      timer = undefined
      shownAt = performance.now()
      setState(({ figures, revision }) => ({ figures: { ...figures, ...received }, revision: revision + step }))
    }
    const onViews = ({ data }: MessageEvent<string>) => {
      Object.assign(gathered, JSON.parse(data))
      timer ??= setTimeout(show, Math.max(0, (shownAt ?? 0) + minUpdateInterval - performance.now()))
    }
    const requestRefresh = () => setState(({ figures, revision }) => ({ figures, revision: revision + 1 }))
    const connect = () => {
      source?.close()
      source = undefined
      if (document.visibilityState !== 'visible') return
      source = new EventSource(`${watchPath}?tags=${watched}`)
      source.addEventListener('views', onViews)
    }
    const onVisible = () => {
      connect()
      if (document.visibilityState === 'visible') requestRefresh()
    }
    connect()
    const fallback = setInterval(() => {
      if (document.visibilityState === 'visible' && source?.readyState !== EventSource.OPEN) requestRefresh()
    }, pollInterval)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearTimeout(timer)
      clearInterval(fallback)
      document.removeEventListener('visibilitychange', onVisible)
      source?.close()
    }
  }, [watched])
  return state
}

export type Day = BadgeStats['days'][number]
export const sourceNames: Record<Source, string> = { camo: "GitHub's image proxy", other: 'Other' }
const shownDays = 90

export function lastDays(seen: readonly Day[], now: Instant): Day[] {
  const byDay = new Map(seen.map((one) => [one.day, one]))
  return Array.from({ length: shownDays }, (_, index) => {
    const day = dayOf(now - days(shownDays - 1 - index))
    return byDay.get(day) ?? { day, views: 0, camo: 0, other: 0 }
  })
}

/** Formats a UTC day as `21/11`. */
export const formatDayMonth = (day: string): string => day.slice(5).split('-').reverse().join('/')

export const formatViews = (count: number): string => `${formatCount(count)} ${count === 1 ? 'view' : 'views'}`
