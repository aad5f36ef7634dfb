import type { Tell } from '../../platform/news.ts'

/** Tells users news. */
export const createTell = (): Tell => async () => []
