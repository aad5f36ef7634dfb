import type { Logger } from 'pino'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { DatabaseUnavailable } from '../../db/unavailable.ts'
import type { Watch } from '../../health.ts'

/** A transaction costs about 1 ms of CPU time whatever its size, so results wait this long for others. */
const gather: Milliseconds = 250
const largest = 200

/**
 * Collects results for a moment and writes them together. While the database is unavailable, a batch is retried. If it
 * fails for another reason, its results are written one by one, and results that fail again are postponed.
 */
export function resultBatcher<Result>(options: {
  /** Called before each write, never during one. */
  beforeWrite: () => Promise<void>
  write: (results: readonly Result[]) => Promise<void>
  /** Returns what to write instead of a result that cannot be written, so that its job is retried. */
  postpone: (result: Result) => Result
  log: Logger
  watch: Watch
  onWritten: (result: Result) => void
}) {
  let pending: Result[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async (batch: readonly Result[]) => {
    options.watch.begin()
    await options.beforeWrite()
    await options.write(batch)
    options.watch.progress()
    for (const result of batch) options.onWritten(result)
  }
  const writeAlone = async (result: Result) => {
    try {
      await write([result])
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      // If this fails too, the result is not the cause and stays pending.
      await write([options.postpone(result)])
      options.log.error({ err: error }, 'Failed to store a result; retrying its job in a minute')
    }
  }
  const writeAll = async () => {
    clearTimeout(timer)
    timer = undefined
    while (pending.length > 0) {
      const batch = pending.slice(0, largest)
      try {
        await write(batch)
        pending = pending.slice(batch.length)
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error
        for (const result of batch) {
          await writeAlone(result)
          pending = pending.slice(1)
        }
      }
    }
  }
  const flush = () => {
    writing = writing.then(writeAll, writeAll)
    return writing
  }
  const flushLater = (after: Milliseconds) => {
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => {
        options.log.error({ err: error, results: pending.length }, 'Failed to store results; retrying in 5 s')
        flushLater(seconds(5))
      })
    }, after)
  }

  return {
    add(result: Result) {
      pending.push(result)
      if (pending.length === largest) flush().catch(() => flushLater(seconds(5)))
      else flushLater(gather)
    },
    /** Runs the callback between two writes. */
    betweenWrites(work: () => Promise<void>): Promise<void> {
      const done = writing.then(work, work)
      writing = done.catch(() => {})
      return done
    },
    /** Writes everything collected so far. Throws if the database is unavailable. */
    flush,
  }
}
