import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

type Serialize<Item> = (page: readonly Item[]) => string

// A later error ends the connection, so that no client takes a part of the array for the whole.
/** Sends an array page by page, a line each, as the client reads. Throws an error of the first two pages. */
export const sendArray = async <Item>(
  reply: Pick<FastifyReply, 'type' | 'send'>,
  pages: AsyncIterable<readonly Item[]>,
  written: Serialize<Item> = JSON.stringify,
) => sendJson(reply, await jsonArray(pages, written))

export const sendJson = (reply: Pick<FastifyReply, 'type' | 'send'>, json: Readable | string) =>
  reply.type('application/json; charset=utf-8').send(json)

/** An array of one page needs no stream. */
async function jsonArray<Item>(
  pages: AsyncIterable<readonly Item[]>,
  written: Serialize<Item>,
): Promise<Readable | string> {
  const rest = pages[Symbol.asyncIterator]()
  const first = await rest.next()
  if (first.done) return '[]'
  const second = await rest.next()
  if (second.done) return written(first.value)
  return Readable.from(partsOf([first.value, second.value], rest, written))
}

async function* partsOf<Item>(
  firstPages: (readonly Item[])[],
  rest: AsyncIterator<readonly Item[]>,
  written: Serialize<Item>,
) {
  let before = '['
  for (;;) {
    const page = firstPages.shift() ?? (await rest.next()).value
    if (page === undefined) break
    if (page.length > 0) {
      yield before + written(page).slice(1, -1)
      before = ',\n'
    }
    // Let other requests proceed before the next page.
    await setImmediate()
  }
  yield before === '[' ? '[]' : ']'
}
