import type { PublicState } from '../../entries/badges/public-state.ts'
import { once } from '../../shared/async.ts'
import type { Instant } from '../../shared/time.ts'
import type { PublicPage } from './load.ts'

export const stateLabels: Record<PublicState, string> = {
  up: 'Operational',
  failing: 'Failing',
  down: 'Down',
  paused: 'Paused',
  new: 'Not checked yet',
  unchecked: 'Not monitored',
}

/** The state of a page is the worst of its entries'. */
export function verdictOf({ states, count }: Pick<PublicPage, 'states' | 'count'>): {
  state: PublicState
  text: string
} {
  const { down = 0, failing = 0, up = 0, paused = 0, unchecked = 0, new: untried = 0 } = states
  const describeSome = (many: number, state: string) =>
    count === 1 ? `The service is ${state}` : `${many} of ${count} services ${many === 1 ? 'is' : 'are'} ${state}`
  const describeAll = (state: string) => (count === 1 ? describeSome(1, state) : `All ${count} services are ${state}`)
  if (down > 0) return { state: 'down', text: describeSome(down, 'down') }
  if (failing > 0) return { state: 'failing', text: describeSome(failing, 'failing') }
  if (up > 0) return { state: 'up', text: up === count ? describeAll('operational') : 'No service is down' }
  if (paused > 0 && paused === count) return { state: 'paused', text: describeAll('paused') }
  if (unchecked > 0 && untried === 0) return { state: 'unchecked', text: 'No service is monitored' }
  return { state: 'new', text: count === 0 ? 'No services yet' : 'No service has been checked yet' }
}

const inBritain = (options: Intl.DateTimeFormatOptions) =>
  once(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }))
const wholeDay = inBritain({ day: 'numeric', month: 'long', year: 'numeric' })
const dayAndMonth = inBritain({ day: 'numeric', month: 'long' })
const clock = inBritain({ hour: '2-digit', minute: '2-digit' })

export const formatDay = (at: Instant): string => wholeDay().format(at)
/** Omits the year if `now` is in the same one. */
export const formatShortDay = (at: Instant, now: Instant): string =>
  (new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear() ? dayAndMonth : wholeDay)().format(at)
export const formatClock = (at: Instant): string => clock().format(at)

/** `20–26 November`, `30 October – 2 November`. */
export function formatDays(from: Instant, to: Instant, now: Instant): string {
  const [first, last] = [formatShortDay(from, now), formatShortDay(to, now)]
  if (first === last) return first
  const [month] = /\D.*/.exec(last) ?? []
  return month !== undefined && first.endsWith(month) ? `${new Date(from).getUTCDate()}–${last}` : `${first} – ${last}`
}

/** `1 minute`, `2 hours 5 minutes`, `3 days 4 hours`. */
export function formatDuration(from: Instant, until: Instant): string {
  const total = Math.max(1, Math.round((until - from) / 60_000))
  const parts = [
    [Math.floor(total / 1_440), 'day'],
    [Math.floor(total / 60) % 24, 'hour'],
    [total >= 1_440 ? 0 : total % 60, 'minute'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ')
}

/** Escapes text for HTML and XML, also between double quotes. Removes characters that XML doesn't allow. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const address = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,:;!?)\]}]/g
/** Links without a referrer and without endorsement. */
const rel = 'rel="nofollow noopener noreferrer"'

export const linkTo = (url: string): string =>
  `<a href="${escapeXml(url)}" ${rel}>${escapeXml(url.replace(/^https?:\/\//, '').replace(/\/$/, ''))}</a>`

/** Web addresses become links. */
export function toParagraphs(text: string): string {
  const parts = text.split(/\r?\n\s*\n/).filter((part) => part.trim() !== '')
  return parts.map((part) => `<p dir="auto">${linkUrls(part).replaceAll(/\r?\n/g, '<br>')}</p>`).join('')
}

export function linkUrls(text: string): string {
  let html = ''
  let from = 0
  for (const { 0: url, index } of text.matchAll(address)) {
    html += escapeXml(text.slice(from, index)) + (URL.canParse(url) ? linkTo(url) : escapeXml(url))
    from = index + url.length
  }
  return html + escapeXml(text.slice(from))
}
