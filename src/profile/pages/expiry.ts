import { days, type Instant } from '../../shared/time.ts'

export type Expiry = keyof typeof spans | 'never' | 'date'
const spans = { month: days(30), quarter: days(90), year: days(365) } as const

export const expiryChoices: readonly { value: Expiry; label: string }[] = [
  { value: 'month', label: '30 days' },
  { value: 'quarter', label: '90 days' },
  { value: 'year', label: 'A year' },
  { value: 'date', label: 'A date' },
  { value: 'never', label: 'Never' },
]

/** Null means never, NaN that the date is missing. A date includes its whole day in the browser's time zone. */
export function expiryOf(choice: Expiry, date: string, now: Instant): Instant | null {
  if (choice === 'never') return null
  if (choice !== 'date') return now + spans[choice]
  return new Date(`${date}T23:59:59.999`).getTime()
}
