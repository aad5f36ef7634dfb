import { Worker } from 'node:worker_threads'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import type { Answer, Order, Settings } from './carry-out.ts'
import type { Outcome } from './execute.ts'

/** How much longer than for a lock one waits for an outcome, before the disk counts as standing still. */
const grace: Milliseconds = seconds(2)

type WithoutId<Kind> = Kind extends { id: number } ? Omit<Kind, 'id'> : never
/** `onLocked` is called when another program holds the lock for long. */
type Options = Settings & { onLocked?: () => void }

/** A connection in a thread of its own, which starts with the first order. Orders are carried out in the order in which they are sent. */
export function connectionThread({ onLocked, ...settings }: Options) {
  const waiting = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }>()
  let orders = 0
  let worker: Worker | undefined

  function start(): Worker {
    const thread = new Worker(new URL('./carry-out.ts', import.meta.url), {
      workerData: settings,
      execArgv: [],
      // It keeps hardly anything for longer than one order takes.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    thread.on('message', (answer: Answer) => {
      if (answer === 'locked') return onLocked?.()
      const order = waiting.get(answer.id)
      if ('outcome' in answer) order?.resolve(answer.outcome)
      else order?.reject(Object.assign(new Error(answer.failure.message), answer.failure))
    })
    // Only a mistake of ours ends the thread: nothing can go on without it.
    thread.on('error', (error) => {
      throw error
    })
    return thread
  }

  return {
    /** Sends an order that has no answer. */
    begin(tx: number) {
      worker ??= start()
      worker.postMessage({ kind: 'begin', tx } satisfies Order)
    },
    /** Resolves once it is carried out. Rejects with SQLite's error, or with DatabaseUnavailable if nothing is known of it in time: it may still be carried out. */
    async send(order: WithoutId<Order>): Promise<Outcome> {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      worker ??= start()
      orders += 1
      const id = orders
      const late = setTimeout(() => reject(new DatabaseUnavailable('unreachable')), settings.patience + grace)
      waiting.set(id, { resolve, reject })
      worker.ref()
      try {
        worker.postMessage({ ...order, id })
        return await promise
      } finally {
        clearTimeout(late)
        waiting.delete(id)
        if (waiting.size === 0) worker.unref()
      }
    },
    hasStarted: () => worker !== undefined,
    /** Resolves once the file is closed. */
    async close() {
      if (!worker) return
      await this.send({ kind: 'close' })
      await worker.terminate()
    },
  }
}
export type ConnectionThread = ReturnType<typeof connectionThread>
