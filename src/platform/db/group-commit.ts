import type { Watch } from '../health.ts'
import type { Db } from './open.ts'

type Waiting<One, Answer> = { one: One; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** How many event loop turns a group may wait to grow. It waits no longer after a turn that adds nothing. */
const mostTurns = 4

/**
 * Batches concurrent writes: items that arrive during a write form the next group. `write` returns answers in order. An
 * item resolves once its group is on disk, or rejects with it; `watch` counts either as progress.
 */
export function groupCommit<One, Answer>(
  { kind }: Pick<Db, 'kind'>,
  {
    most,
    write,
    watch,
  }: { most: number; write: (group: readonly One[]) => Promise<readonly Answer[]>; watch?: Watch | undefined },
) {
  let queue: Waiting<One, Answer>[] = []
  let writing: Promise<void> | undefined

  /** On SQLite a large next group starts before the last is answered, so that neither waits for the other. */
  async function writeAll(): Promise<void> {
    let written = writeGroup(take())
    for (;;) {
      const { size, answer } = await written
      const isLargeGroup = kind === 'sqlite' && 2 * queue.length >= size
      if (isLargeGroup) written = writeGroup(take())
      answer()
      if (isLargeGroup) continue
      await grow(Math.min(queue.length + size, most))
      if (queue.length === 0) break
      written = writeGroup(take())
    }
    writing = undefined
  }

  function take() {
    const group = queue.slice(0, most)
    queue = queue.slice(most)
    return group
  }

  /** Resolves, once the outcome is known, with a function that answers the group. */
  async function writeGroup(group: readonly Waiting<One, Answer>[]) {
    const size = group.length
    watch?.begin()
    try {
      const answers = await write(group.map(({ one }) => one)).finally(watch?.progress)
      const answer = () => {
        for (const [index, { resolve }] of group.entries()) resolve(answers[index]!)
      }
      return { size, answer }
    } catch (error) {
      const answer = () => {
        for (const { reject } of group) reject(error)
      }
      return { size, answer }
    }
  }

  /** Lets the next group grow: a write is expensive, an item cheap, and callers just answered often write again. */
  async function grow(size: number): Promise<void> {
    for (let turn = 0; turn < mostTurns && queue.length < size; turn += 1) {
      const before = queue.length
      await new Promise((next) => setImmediate(next))
      if (turn > 0 && queue.length === before) break
    }
  }

  return {
    add: (one: One): Promise<Answer> =>
      new Promise((resolve, reject) => {
        queue.push({ one, resolve, reject })
        writing ??= writeAll()
      }),
    drained: async () => writing,
  }
}
