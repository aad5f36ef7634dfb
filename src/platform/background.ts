import type { Logger } from 'pino'

export type Background = {
  /** Starts the work unless work of this name is still running. Logs a failure. */
  once(name: string, work: () => Promise<unknown>): void
  drained(): Promise<void>
}

export function createBackground(log: Logger): Background {
  const underWay = new Map<string, Promise<void>>()
  return {
    once(name, work) {
      if (underWay.has(name)) return
      const completion = work()
        .then(
          () => {},
          (error: unknown) => log.warn({ err: error }, `${name} failed`),
        )
        .finally(() => underWay.delete(name))
      underWay.set(name, completion)
    },
    async drained() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
