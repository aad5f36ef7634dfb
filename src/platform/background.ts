import type { Logger } from 'pino'

export function createBackground(log: Logger) {
  const underWay = new Map<string, Promise<void>>()
  return {
    /** Starts the work unless work of this name is still running. Logs a failure. */
    once(name: string, work: () => Promise<unknown>): void {
      if (underWay.has(name)) return
      const completion = work()
        .then(
          () => {},
          (error: unknown) => log.warn({ err: error }, `${name} failed`),
        )
        .finally(() => underWay.delete(name))
      underWay.set(name, completion)
    },
    async drained(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
export type Background = ReturnType<typeof createBackground>
