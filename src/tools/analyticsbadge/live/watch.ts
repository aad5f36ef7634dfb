import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** What tags show, by tag; those without a view may be left out. */
export type Figures = ReadonlyMap<string, number>
type Watcher = {
  tags: readonly string[]
  seen: Map<string, number>
  onChanged: (figures: Record<string, number>) => void
}

/** Half of what a screen may be late: the rest is for its own call. */
const lookEvery: Milliseconds = seconds(0.5)

/**
 * Tells whoever watches tags what these show, at first and when that changes. All that are watched are looked at
 * together, twice a second, because on a shared database any instance may have counted. Without watchers nobody looks,
 * and counting a view knows nothing of all this.
 */
export function tagWatch(figuresOf: (tags: readonly string[]) => Promise<Figures>, every = lookEvery) {
  const watchers = new Set<Watcher>()
  let isLooking = false

  async function lookOn(): Promise<void> {
    isLooking = true
    while (watchers.size > 0) {
      await look().catch(() => {})
      await new Promise((next) => setTimeout(next, every).unref())
    }
    isLooking = false
  }

  async function look() {
    const present = [...watchers]
    const figures = await figuresOf([...new Set(present.flatMap(({ tags }) => tags))])
    for (const { tags, seen, onChanged } of present) {
      const changed = tags.flatMap((tag) => {
        const now = figures.get(tag) ?? 0
        return seen.get(tag) === now ? [] : [[tag, now] as const]
      })
      for (const [tag, now] of changed) seen.set(tag, now)
      if (changed.length > 0) onChanged(Object.fromEntries(changed))
    }
  }

  return {
    /** Watches these tags until the answer is called. */
    watch(tags: readonly string[], onChanged: Watcher['onChanged']): () => void {
      const watcher = { tags, seen: new Map(), onChanged }
      watchers.add(watcher)
      if (!isLooking) void lookOn()
      return () => void watchers.delete(watcher)
    },
  }
}
