const cleanings = new Set<() => void>()

/** Runs all pending clean-ups, the newest first, however the process ends, including by a signal. */
function cleanAll() {
  for (const clean of [...cleanings].reverse()) clean()
  cleanings.clear()
}
process.on('exit', cleanAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

/** Collects clean-ups. Each must be synchronous, and safe to call when there is nothing to clean up. */
export function collectCleanUps() {
  const mine: (() => void)[] = []
  return {
    add(clean: () => void) {
      mine.push(clean)
      cleanings.add(clean)
    },
    clean() {
      for (const clean of mine.reverse()) {
        cleanings.delete(clean)
        clean()
      }
      mine.length = 0
    },
  }
}
