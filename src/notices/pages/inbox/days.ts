import { formatDay } from '../../../ui/format-time.ts'
import type { InboxItem } from '../../contract.ts'

const dayOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()

/** Groups items by day in the browser's time zone, and keeps their order. */
export function groupByDay(items: readonly InboxItem[], now: Date): { day: string; items: InboxItem[] }[] {
  const today = dayOf(now)
  const yesterday = dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1))
  const labels = new Map([
    [today, 'Today'],
    [yesterday, 'Yesterday'],
  ])
  const groups = new Map<string, InboxItem[]>()
  for (const item of items) {
    const day = labels.get(dayOf(new Date(item.at))) ?? formatDay(item.at)
    groups.set(day, [...(groups.get(day) ?? []), item])
  }
  return [...groups].map(([day, items]) => ({ day, items }))
}
