import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Health } from '../health.ts'
import type { Events, LiveEvent } from './events.ts'
import { listenOnPostgres, type Timing } from './postgres-events.ts'

export type LiveEvents = Events & {
  /** Hears every event of every instance; the answer stops it. */
  hear(listener: (event: LiveEvent) => void): () => void
}

/** Live events: to this instance's screens at once, and over PostgreSQL, when there is one, to the other instances'. */
export function createEvents(
  { config, log, health }: { config: Config; log: Logger; health: Pick<Health, 'watch'> },
  timing?: Timing,
): LiveEvents {
  const listeners = new Set<(event: LiveEvent) => void>()
  const tell = (events: readonly LiveEvent[]) => {
    for (const event of events) for (const listener of listeners) listener(event)
  }
  const others = config.databaseUrl
    ? listenOnPostgres({
        url: config.databaseUrl,
        me: randomUUID(),
        log,
        watch: health.watch('events'),
        heard: tell,
        timing,
      })
    : undefined
  return {
    publish(events) {
      tell(events)
      others?.send(events)
    },
    hear(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      await others?.close()
    },
  }
}
