import { afterEach, expect, test, vi } from 'vitest'
import { streamArray } from './use-rows.ts'

afterEach(() => void vi.unstubAllGlobals())

/** Reads a response that arrives in these pieces. */
async function readOf(pieces: readonly (string | Error)[], status = 200) {
  const body = new ReadableStream<Uint8Array>({
    async start(stream) {
      for (const piece of pieces) {
        if (piece instanceof Error) return stream.error(piece)
        stream.enqueue(new TextEncoder().encode(piece))
      }
      stream.close()
    },
  })
  vi.stubGlobal('fetch', async () => new Response(body, { status }))
  const read: unknown[] = []
  for await (const items of streamArray('/list')) read.push(...items)
  return read
}

test.each([
  [['[]'], []],
  [['[1,2]'], [1, 2]],
  [
    ['[{"a":"x\\ny"},\n{"a":"]"}', ',\n{"a":"[,"}]'],
    [{ a: 'x\ny' }, { a: ']' }, { a: '[,' }],
  ],
  [
    ['[[1],\n', '[2]', ']'],
    [[1], [2]],
  ],
])('reads the whole array from the pieces %j', async (pieces, items) => {
  expect(await readOf(pieces)).toEqual(items)
})

test('throws if the response breaks off or is refused', async () => {
  await expect(readOf(['[1,\n2,', new Error('gone')])).rejects.toThrow('Network Error')
  await expect(readOf(['[1,\n'])).rejects.toThrow('Network Error')
  await expect(readOf(['{"error":"No."}'], 403)).rejects.toMatchObject({
    answer: { status: 403, data: { error: 'No.' } },
  })
})
