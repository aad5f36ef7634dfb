import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

type Page = readonly unknown[]

/**
 * Answers the array of all items, written page by page as the client takes them, so that a long one holds nobody up. Each
 * page is a line, so that a client can read them one by one. An error on the first pages is thrown; a later one ends the
 * connection, so that nobody takes a part for the whole.
 */
export const sendArray = async (reply: Pick<FastifyReply, 'type' | 'send'>, pages: AsyncIterable<Page>) =>
  reply.type('application/json; charset=utf-8').send(await jsonArray(pages))

/** An array of one page needs no stream. */
async function jsonArray(pages: AsyncIterable<Page>): Promise<Readable | string> {
  const rest = pages[Symbol.asyncIterator]()
  const first = await rest.next()
  if (first.done) return '[]'
  const second = await rest.next()
  if (second.done) return JSON.stringify(first.value)
  return Readable.from(partsOf([first.value, second.value], rest))
}

async function* partsOf(known: Page[], rest: AsyncIterator<Page>) {
  let before = '['
  for (;;) {
    const page = known.shift() ?? (await rest.next()).value
    if (page === undefined) break
    if (page.length > 0) {
      yield before + JSON.stringify(page).slice(1, -1)
      before = ',\n'
    }
    // Others have their turn before the next page.
    await setImmediate()
  }
  yield before === '[' ? '[]' : ']'
}
