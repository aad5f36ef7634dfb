import { formatDay } from '../../../ui/format-time.ts'

export type Certificate = { validTo: number; days: number } | null

/** So near its end, a certificate is worth a word in the list. */
const soon = 14

export function certificateWords({ validTo, days }: NonNullable<Certificate>): string {
  if (days < 0) return `Certificate ended on ${formatDay(validTo)}`
  const left = days === 1 ? '1 day' : `${days} days`
  return `Certificate ends in ${days === 0 ? 'less than a day' : left}, on ${formatDay(validTo)}`
}

/** What a list says of it: nothing while there is time. */
export const certificateNote = (certificate: Certificate): string | undefined =>
  certificate && certificate.days <= soon ? certificateWords(certificate) : undefined
