import type { Context } from '../../platform/context.ts'
import type { Tell } from '../../platform/news.ts'
import { createAddToInbox } from '../inbox/add.ts'

/** Tells users news. */
export function createTell(context: Pick<Context, 'db' | 'now'>): Tell {
  const addToInbox = createAddToInbox(context)
  return async (tx, news) => (news.length === 0 ? [] : addToInbox(tx, news))
}
