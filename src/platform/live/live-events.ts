import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Milliseconds } from '../../shared/time.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Db } from '../db/open.ts'
import type { Health } from '../health.ts'
import type { Metrics } from '../metrics.ts'
import type { Events, LiveEvent } from './events.ts'
import { listenOnPostgres, type Timing } from './postgres-events.ts'

export type LiveEvents = Events & {
  /** Calls the listener with every event of every instance until the answer is called. */
  subscribe(listener: (event: LiveEvent) => void): () => void
}

/** Live events: to this instance's screens at once, and to those of other instances over PostgreSQL, if that is the database. */
export function createEvents(
  {
    db,
    log,
    health,
    elapsed,
    secrets,
    metrics,
  }: {
    elapsed: () => Milliseconds
    db: Pick<Db, 'newClient'>
    log: Logger
    health: Pick<Health, 'watch'>
    secrets: Pick<Secrets, 'messages'>
    metrics: Pick<Metrics, 'foreignMessages'>
  },
  timing?: Timing,
): LiveEvents {
  const listeners = new Set<(event: LiveEvent) => void>()
  const publishHere = (events: readonly LiveEvent[]) => {
    for (const event of events) for (const listener of listeners) listener(event)
  }
  const others = db.newClient
    ? listenOnPostgres({
        newClient: db.newClient,
        me: randomUUID(),
        messages: secrets.messages,
        foreign: metrics.foreignMessages,
        log,
        watch: health.watch('events'),
        elapsed,
        onEvents: publishHere,
        timing,
      })
    : undefined
  return {
    publish(events) {
      publishHere(events)
      others?.send(events)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      await others?.close()
    },
  }
}
