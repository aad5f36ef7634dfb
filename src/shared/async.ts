import type { Milliseconds } from './time.ts'

// To limit concurrent calls, use `p-limit`; to batch look-ups, `dataloader`.

/** Runs work by key: while work with the same key is in progress, later callers share its outcome. */
export function singleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const current = underWay.get(key) ?? work().finally(() => underWay.delete(key))
    underWay.set(key, current)
    return current
  }
}

/** Waits for this work up to the limit, then returns undefined; the work continues. */
export async function withTimeout<T>(limit: Milliseconds, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limit)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Runs all in sequence, even if some fail. Then throws the error, or an AggregateError of several. */
export async function runInSequence(works: readonly (() => unknown)[]): Promise<void> {
  const failed: unknown[] = []
  for (const work of works) {
    try {
      await work()
    } catch (error) {
      failed.push(error)
    }
  }
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, failed.map((error) => Object(error).message).join(' '))
}

type Closer = { what: string; close: () => unknown; within: Milliseconds }

/** Closes all in order, even if some closers fail or time out. Throws their errors at the end. */
export const closeAll = (closers: readonly Closer[]): Promise<void> =>
  runInSequence(
    closers.map(({ what, close, within: limit }) => async () => {
      let isClosed = false
      const closing = (async () => {
        await close()
        isClosed = true
      })()
      await withTimeout(limit, closing)
      if (!isClosed) throw new Error(`The ${what} did not close within ${limit / 1_000} s.`)
    }),
  )

/** Calls `read` at most once in this time; calls in between return its last result. */
export function cached<T>(elapsed: () => Milliseconds, time: Milliseconds, read: () => Promise<T>): () => Promise<T> {
  const share = singleFlight<T>()
  let last: { value: T; at: Milliseconds } | undefined
  return () => {
    if (last && elapsed() - last.at < time) return Promise.resolve(last.value)
    return share('', async () => {
      const value = await read()
      last = { value, at: elapsed() }
      return value
    })
  }
}

/** Creates a value at its first use. An `Intl` formatter, for example, costs Node 8 MB. */
export function once<T>(make: () => T): () => T {
  let memo: { value: T } | undefined
  return () => {
    memo ??= { value: make() }
    return memo.value
  }
}

/** `once` for a promise: all callers share it, and after a failure the next call tries again. */
export function onceAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () => {
    promise ??= make().catch((error: unknown) => {
      promise = undefined
      throw error
    })
    return promise
  }
}
