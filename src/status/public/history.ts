import { days } from '../../shared/time.ts'
import { daysShown, maxPast, type PublicIncident, type PublicPage } from './load.ts'

/** A day on which incidents began that are over by now, or a stretch of days without any, both by days since 1970. */
type Stretch = { from: number; to: number; incidents: PublicIncident[] }

const dayNumber = (at: number) => Math.floor(at / days(1))

/** The days of a page, newest first, back to the first check and to the oldest incident that is told. */
export function historyOf({ at, entries, open, past }: PublicPage): Stretch[] {
  const checked = entries.flatMap(({ days }) => days.findIndex((share) => share !== null)).filter((index) => index >= 0)
  if (checked.length === 0 && past.length === 0) return []
  const today = dayNumber(at)
  const began = past.map(({ openedAt }) => dayNumber(openedAt))
  const firstCheck = today - (daysShown - 1) + Math.min(daysShown - 1, ...checked)
  const first = past.length < maxPast ? Math.min(firstCheck, ...began) : Math.min(...began)
  const isBusy = (day: number) =>
    [...open, ...past].some(({ openedAt, closedAt }) => dayNumber(openedAt) <= day && day <= dayNumber(closedAt ?? at))
  const stretches: Stretch[] = []
  for (let day = today; day >= first; day -= 1) {
    const incidents = past.filter(({ openedAt }) => dayNumber(openedAt) === day)
    const last = stretches.at(-1)
    if (incidents.length > 0) stretches.push({ from: day, to: day, incidents })
    else if (isBusy(day)) continue
    else if (last?.from === day + 1 && last.incidents.length === 0) last.from = day
    else stretches.push({ from: day, to: day, incidents })
  }
  return stretches
}
