import type { Context } from '../platform/context.ts'
import type { Tell } from '../platform/news.ts'
import { createQueueForChannels } from './channels/queue.ts'
import { createAddToInbox } from './inbox/add.ts'

/** Tells users news: in their inbox, and by their channels. */
export function createTell(context: Pick<Context, 'db' | 'jobs' | 'now'>): Tell {
  const addToInbox = createAddToInbox(context)
  const queueForChannels = createQueueForChannels(context)
  return async (tx, news) => {
    if (news.length === 0) return []
    await queueForChannels(tx, news)
    return addToInbox(tx, news)
  }
}
