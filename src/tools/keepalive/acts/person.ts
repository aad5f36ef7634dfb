import { dayOf, days } from '../../../shared/time.ts'
import { formatDate } from '../certificates.ts'
import type { Act } from './act.ts'

/** How many days before the date the owner is notified: on the day, and a week before. */
const noticeDays = [0, 7]

/** Sends no requests: the owner has to press a button at the host, and is notified in time. */
export const keepByPerson: Act = async ({ settings: { url, due }, state: { memory }, now }) => {
  const none = { awake: 'reminder', memory, outcome: { isNone: true } } as const
  if (due === null) return none
  const at = Date.parse(due)
  const daysLeft = (at - Date.parse(dayOf(now))) / days(1)
  const noticed = memory.noticedDue === due ? (memory.noticedDays ?? 0) : Number.POSITIVE_INFINITY
  const next = noticeDays.find((before) => daysLeft <= before)
  if (next === undefined || noticed <= next) return none
  const notice = `${daysLeft === 0 ? 'today,' : 'by'} ${formatDate(at)}, at ${extensionPage(url)}`
  return { ...none, memory: { noticedDue: due, noticedDays: next }, notice }
}

const pythonAnywhere = /^([\w-]+)\.(eu\.)?pythonanywhere\.com$/

/** The page where an owner extends an app, as far as known. The URL may be that of the app or of an account. */
export function extensionPage(url: string): string {
  const { hostname, origin, pathname } = new URL(url)
  const [, name = '', eu] = pythonAnywhere.exec(hostname) ?? []
  const user = /^(?:www|eu)?$/.test(name) ? /^\/user\/([\w-]+)/.exec(pathname)?.[1] : name
  if (name === '' || user === undefined) return origin
  return `https://${eu || name === 'eu' ? 'eu' : 'www'}.pythonanywhere.com/user/${user}/webapps/`
}

/** The same day of the next month, or else its last day. An extension lasts for a month. */
export function monthAfter(day: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return dayOf(Date.UTC(year, month, Math.min(date, last)))
}
