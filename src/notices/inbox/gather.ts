import type { Notice } from '../../platform/notice.ts'
import { titleOf } from '../../shared/title.ts'
import type { Notification } from '../notifications/contract.ts'
import type { InboxType } from './contract.ts'

/** News of one user and type. */
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

const toasts = {
  failing: 'warning',
  recovered: 'success',
  blocked: 'danger',
  certificate: 'warning',
  operator: 'warning',
} as const

/** What each user is told, by user and type in a fixed order, so that instances that do this at once can't deadlock. */
export function gather(news: readonly Notice[], adminIds: readonly string[]): Gathered[] {
  const byKey = new Map<string, Gathered>()
  for (const one of news.flatMap((each) => toldBy(each, adminIds))) {
    const key = keyOf(one)
    const same = byKey.get(key)
    byKey.set(key, same ? merge(same, one) : one)
  }
  return [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** What has a toast is not gathered with what has none. */
export const groupOf = ({ type, toast }: Pick<Gathered, 'type' | 'toast'>): string =>
  type === 'account' && toast ? 'account toast' : type
const keyOf = (one: Gathered) => `${one.userId} ${groupOf(one)}`

function merge(one: Gathered, other: Gathered): Gathered {
  if (!one.entry && !other.entry) return { ...one, parts: [...new Set([...one.parts, ...other.parts])] }
  // The same entry twice is still one.
  if (one.entry && one.entry.id === other.entry?.id) return { ...one, cause: other.cause }
  if (other.ids.every((id) => one.ids.includes(id))) return one
  const [parts, ids] = [
    [...one.parts, ...other.parts],
    [...one.ids, ...other.ids],
  ]
  return { ...one, parts, ids, entry: undefined, cause: undefined }
}

function toldBy(news: Notice, adminIds: readonly string[]): Gathered[] {
  if (news.type === 'account')
    return [
      {
        userId: news.userId,
        type: news.access ? 'access' : 'account',
        parts: [news.message],
        ids: [],
        toast: news.toast,
      },
    ]
  if (news.type === 'operator')
    return adminIds.map((userId) => ({
      userId,
      type: 'operator',
      parts: [news.message],
      ids: [],
      toast: toasts.operator,
    }))
  const { type, ownerId, cause, entry } = news
  const { id, tool } = entry
  return [
    { userId: ownerId, type, parts: [titleOf(entry)], ids: [id], entry: { tool, id }, cause, toast: toasts[type] },
  ]
}
