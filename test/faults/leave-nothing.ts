const cleanings = new Set<() => void>()

/** Whatever ends us, by a signal too, first undoes what is left to undo, the last first. */
function cleanAll() {
  for (const clean of [...cleanings].reverse()) clean()
  cleanings.clear()
}
process.on('exit', cleanAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

/** What has to be undone; each must finish at once and may be called when there is nothing to undo. */
export function leaveNothing() {
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
