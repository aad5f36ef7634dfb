import type { Notice } from '../../platform/notice.ts'
import type { Channel } from './contract.ts'
import type { MessageKind, Told } from './message.ts'

/** A channel as far as it decides what it hears. */
export type Listener = Pick<Channel, 'id' | 'type' | 'events' | 'tools' | 'entries'> & {
  userId: string
  isAdmin: boolean
}

/** One thing that a channel has to tell; the same `subject` is told once a message. */
export type NewsRow = { channelId: string; type: MessageKind; subject: string; told: Told }

/** What a channel has to tell of these news; undefined if they are not for it. */
export function newsRow(listener: Listener, news: Notice): NewsRow | undefined {
  if (news.type === 'certificate' ? !hearsOfCertificates(listener) : !listener.events.includes(news.type))
    return undefined
  const { id: channelId } = listener
  if (news.type === 'operator' || news.type === 'account') {
    const isFor = news.type === 'operator' ? listener.isAdmin : news.userId === listener.userId
    const { type, message } = news
    const access = news.type === 'account' && news.access
    return isFor ? { channelId, type, subject: message, told: { message, ...(access && { access }) } } : undefined
  }
  const { type, ownerId, entry, cause } = news
  const isChosen =
    ownerId === listener.userId &&
    (listener.tools?.includes(entry.tool) ?? true) &&
    (listener.entries?.includes(entry.id) ?? true)
  return isChosen
    ? { channelId, type, subject: entry.id, told: { entry, cause, ...('since' in news && { since: news.since }) } }
    : undefined
}

/** Whoever hears of failures hears of those to come; but programs know a few types of messages, and nothing fails yet. */
const hearsOfCertificates = ({ type, events }: Listener) => type !== 'webhook' && events.includes('failing')
