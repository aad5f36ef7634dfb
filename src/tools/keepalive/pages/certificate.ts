import { formatDay } from '../../../ui/format-time.ts'

/** Formats the expiry: `ends in 8 days, on 05/12/2026`. */
export function formatExpiry({ validTo, days }: { validTo: number; days: number }): string {
  if (days < 0) return `ended on ${formatDay(validTo)}`
  const daysLeft = days === 1 ? '1 day' : `${days} days`
  return `ends in ${days === 0 ? 'less than a day' : daysLeft}, on ${formatDay(validTo)}`
}
