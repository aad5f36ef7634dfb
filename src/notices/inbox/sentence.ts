import { formatCount } from '../../shared/count.ts'
import type { InboxType } from './contract.ts'

/** How many of what an item gathers are named. */
export const mostNamed = 10
const longestName = 80
const longestCause = 250

type Gathered = {
  type: InboxType
  /** The first ten: names of entries, or else whole sentences. */
  parts: readonly string[]
  total: number
  /** Of the only one. */
  cause?: string | undefined
}

/** What an item says. */
export function sentenceOf({ type, parts, total, cause }: Gathered): string {
  const more = total - parts.length
  if (!isAboutEntries(type)) return [...parts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
  const names = parts.map((name) => shorten(name, longestName))
  const why = cause && type !== 'recovered' ? ` (${shorten(cause.replace(/\.$/, ''), longestCause)})` : ''
  if (total === 1) return `${names[0]} ${one[type]}${why}.${advice[type]}`
  const last = more > 0 ? `${more} more` : names.pop()
  return `${formatCount(total)} entries ${many[type]}: ${names.join(', ')} and ${last}.${advice[type]}`
}

export const isAboutEntries = (type: InboxType): type is keyof typeof one => type in one

const one = {
  failing: 'is failing',
  recovered: 'has recovered',
  blocked: 'is blocked',
  certificate: 'has a certificate that ends soon',
}
const many = {
  failing: 'are failing',
  recovered: 'have recovered',
  blocked: 'are blocked',
  certificate: 'have certificates that end soon',
}
const advice = {
  failing: '',
  recovered: '',
  blocked: ' Events are held until the webhook or thread is changed.',
  certificate: '',
}

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
