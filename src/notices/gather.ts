import type { Notice } from '../platform/notice.ts'
import { formatCount } from '../shared/count.ts'
import { titleOf } from '../shared/title.ts'
import { cut, verbs } from './channels/message.ts'
import type { InboxType, Notification } from './contract.ts'

/** Notices of one user and type. */
export type Gathered = {
  userId: string
  type: InboxType
  /** Names of entries, or sentences. */
  parts: string[]
  /** The ids of those entries. */
  ids: string[]
  /** The only entry and its cause. */
  entry?: { tool: string; id: string } | undefined
  cause?: string | undefined
  toast: Notification['type'] | undefined
}

const toasts = { failing: 'warning', recovered: 'success', blocked: 'danger', certificate: 'warning' } as const

/** What each user reads, by user and type in a fixed order, so that instances that do this at once can't deadlock. */
export function gather(notices: readonly Notice[], adminIds: readonly string[]): Gathered[] {
  const byKey = new Map<string, Gathered>()
  for (const one of notices.flatMap((notice) => readBy(notice, adminIds))) {
    const key = `${one.userId} ${groupOf(one)}`
    const same = byKey.get(key)
    byKey.set(key, same ? merge(same, one) : one)
  }
  return [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** What has a toast is not gathered with what has none. */
export const groupOf = ({ type, toast }: Pick<Gathered, 'type' | 'toast'>): string =>
  type === 'account' && toast ? 'account toast' : type

function merge(one: Gathered, other: Gathered): Gathered {
  if (!one.entry && !other.entry) return { ...one, parts: [...new Set([...one.parts, ...other.parts])] }
  // The same entry twice is still one.
  if (one.entry && one.entry.id === other.entry?.id) return { ...one, cause: other.cause }
  if (other.ids.every((id) => one.ids.includes(id))) return one
  const parts = [...one.parts, ...other.parts]
  return { ...one, parts, ids: [...one.ids, ...other.ids], entry: undefined, cause: undefined }
}

function readBy(notice: Notice, adminIds: readonly string[]): Gathered[] {
  if (notice.type === 'account') {
    const { type, userId, message, toast } = notice
    return [{ userId, type, parts: [message], ids: [], toast }]
  }
  if (notice.type === 'operator' || notice.type === 'access') {
    const { type, message } = notice
    const toast = type === 'access' ? 'info' : 'warning'
    return adminIds.map((userId) => ({ userId, type, parts: [message], ids: [], toast }))
  }
  const { type, ownerId: userId, cause, entry } = notice
  const { id, tool } = entry
  return [{ userId, type, parts: [titleOf(entry)], ids: [id], entry: { tool, id }, cause, toast: toasts[type] }]
}

const longestName = 80
const longestCause = 250

/** What an item says: `parts` are the first of `total`, `cause` is that of the only one. */
export function sentenceOf({
  type,
  parts,
  total,
  cause,
}: Pick<Gathered, 'type' | 'parts' | 'cause'> & { total: number }): string {
  const more = total - parts.length
  const verb = verbs[type]
  if (!verb) return [...parts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
  const names = parts.map((name) => cut(name, longestName))
  const why = cause && type !== 'recovered' ? ` (${cut(cause.replace(/\.$/, ''), longestCause)})` : ''
  const advice = type === 'blocked' ? ' Events are held until the webhook or thread is changed.' : ''
  if (total === 1) return `${names[0]} ${verb[0]}${why}.${advice}`
  const last = more > 0 ? `${more} more` : names.pop()
  return `${formatCount(total)} entries ${verb[1]}: ${names.join(', ')} and ${last}.${advice}`
}
