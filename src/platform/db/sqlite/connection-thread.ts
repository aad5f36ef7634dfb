import { Worker } from 'node:worker_threads'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import type { Answer, Connect, Order, Settings } from './carry-out.ts'
import type { Outcome } from './execute.ts'

type WithoutId<Kind> = Kind extends { id: number } ? Omit<Kind, 'id'> : never
type Options = Settings & {
  /** How long one waits for an outcome. */
  answer: Milliseconds
  /** Called when another program holds the lock for long. */
  onLocked?: () => void
}

/** Threads without a connection. To start one takes longer than most tests, which open databases by the thousand. */
const spare: Worker[] = []

/** A connection in a thread of its own, which starts with the first order. Orders are carried out in the order in which they are sent. */
export function connectionThread({ answer: patience, onLocked, ...settings }: Options) {
  const waiting = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }>()
  let orders = 0
  let begins: number | undefined
  /** The last order that was given up, and with it all before it that have no outcome. */
  const givenUp = new BigInt64Array(new SharedArrayBuffer(8))
  let worker: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const thread = spare.pop() ?? startThread()
    thread.postMessage({ ...settings, kind: 'connect', givenUp } satisfies Connect)
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
    /** Begins a transaction with the next order, which must be of it: a message of its own would cost as much as a short statement. */
    begin(tx: number) {
      begins = tx
    },
    /** Resolves once it is carried out. Rejects with SQLite's error, or with DatabaseUnavailable if nothing is known of it in time: if it has begun, it may still be carried out. */
    async send(order: WithoutId<Order>): Promise<Outcome> {
      if (isClosed) throw new DatabaseUnavailable('unreachable', new Error('The database is closed.'))
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      worker ??= start()
      orders += 1
      const id = orders
      const giveUp = () => {
        Atomics.store(givenUp, 0, BigInt(id))
        reject(new DatabaseUnavailable('unreachable'))
      }
      // If the process was paused meanwhile, time is up, but the outcome may be waiting to be read in the next turn.
      const late = setTimeout(() => setImmediate(giveUp), patience)
      waiting.set(id, { resolve, reject })
      worker.ref()
      try {
        worker.postMessage({ ...order, id, ...(begins !== undefined && { begins }) } satisfies Order)
        begins = undefined
        return await promise
      } finally {
        clearTimeout(late)
        waiting.delete(id)
        if (waiting.size === 0) worker.unref()
      }
    },
    hasStarted: () => worker !== undefined,
    /** How many orders have no outcome yet. */
    waiting: () => waiting.size,
    /** Resolves once the file is closed. */
    async close() {
      const closing = worker && this.send({ kind: 'close' })
      isClosed = true
      if (!worker) return
      await closing
      worker.removeAllListeners('message').removeAllListeners('error')
      spare.push(worker)
    },
  }
}

const startThread = () =>
  new Worker(new URL('./carry-out.ts', import.meta.url), {
    execArgv: [],
    // It keeps hardly anything for longer than one order takes.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })

export type ConnectionThread = ReturnType<typeof connectionThread>
