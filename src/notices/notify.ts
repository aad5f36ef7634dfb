import type { Context } from '../platform/context.ts'
import type { Notify } from '../platform/notice.ts'
import { createQueueForChannels } from './channels/queue.ts'
import { createAddToInbox } from './inbox/add.ts'

/** Tells users news: in their inbox, and by their channels. */
export function createNotify(context: Pick<Context, 'db' | 'jobs' | 'now'>): Notify {
  const addToInbox = createAddToInbox(context)
  const queueForChannels = createQueueForChannels(context)
  return async (tx, news) => {
    if (news.length === 0) return []
    await queueForChannels(tx, news)
    return addToInbox(tx, news)
  }
}
