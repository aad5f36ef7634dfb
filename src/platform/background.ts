import type { Logger } from 'pino'

export type Background = {
  /** Starts this work unless work of the same name is in progress; logs its failure. */
  once(name: string, work: () => Promise<unknown>): void
  /** Resolves once everything that was started has ended. */
  drained(): Promise<void>
}

export function createBackground(log: Logger): Background {
  const underWay = new Map<string, Promise<void>>()
  return {
    once(name, work) {
      if (underWay.has(name)) return
      const ended = work()
        .then(
          () => {},
          (error: unknown) => log.warn({ err: error }, `${name} failed`),
        )
        .finally(() => underWay.delete(name))
      underWay.set(name, ended)
    },
    async drained() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
