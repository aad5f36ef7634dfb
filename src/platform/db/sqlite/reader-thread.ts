import { Worker } from 'node:worker_threads'

export type Question = { id: number; text: string; values: readonly unknown[] }
export type Answer =
  | { id: number; rows: object[] }
  | { id: number; failure: { message: string; code: unknown; errcode: unknown } }

/** A thread with a connection of its own, started when it is first needed: a long read there holds nobody up here. */
export function readerThread(file: string) {
  const waiting = new Map<number, PromiseWithResolvers<object[]>>()
  let thread: Worker | undefined
  let last = 0

  function failAll(error: unknown) {
    thread = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(new URL('reader.ts', import.meta.url), { workerData: file })
    started.unref()
    started.on('message', (answer: Answer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(Object.assign(new Error(answer.failure.message), answer.failure))
    })
    started.on('error', failAll)
    return started
  }

  return {
    /** The rows of a read; sees what is committed. */
    read(text: string, values: readonly unknown[]): Promise<object[]> {
      thread ??= start()
      const asked = Promise.withResolvers<object[]>()
      last += 1
      waiting.set(last, asked)
      thread.postMessage({ id: last, text, values } satisfies Question)
      return asked.promise
    },
    async close() {
      const ended = thread
      failAll(new Error('The database is closed.'))
      await ended?.terminate()
    },
  }
}
