import type { Watch } from '../health.ts'
import type { Db } from './open.ts'

type Waiting<One, Answer> = { one: One; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** The maximum of event loop turns during which a group may grow, as long as each adds to it. */
const mostTurns = 4

/**
 * Batches concurrent writes: items that arrive during a write form the next group, of at most `most`. `write` returns
 * the answers in order. Each item resolves once its group is on disk, or rejects with its group. For `watch` both count
 * as progress: only a group without any outcome is stalled.
 */
export function groupCommit<One, Answer>(
  { kind }: Pick<Db, 'kind'>,
  {
    most,
    write,
    watch,
  }: { most: number; write: (group: readonly One[]) => Promise<readonly Answer[]>; watch?: Watch | undefined },
) {
  let waiting: Waiting<One, Answer>[] = []
  let writing: Promise<void> | undefined

  /**
   * Writes group after group. On SQLite the write of a large next group starts before the previous group is answered,
   * so that neither waits for the other.
   */
  async function writeAll(): Promise<void> {
    let written = writeGroup(take())
    for (;;) {
      const { size, answer } = await written
      const isCrowd = kind === 'sqlite' && 2 * waiting.length >= size
      if (isCrowd) written = writeGroup(take())
      answer()
      if (isCrowd) continue
      await grow(Math.min(waiting.length + size, most))
      if (waiting.length === 0) break
      written = writeGroup(take())
    }
    writing = undefined
  }

  function take() {
    const group = waiting.slice(0, most)
    waiting = waiting.slice(most)
    return group
  }

  /** Writes a group. Resolves with a function that answers it once its outcome is known. */
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

  /**
   * Lets the next group grow to this size: a write to disk is expensive, another item in it is cheap, and callers that
   * just received an answer often write again.
   */
  async function grow(size: number): Promise<void> {
    for (let turn = 0; turn < mostTurns && waiting.length < size; turn += 1) {
      const before = waiting.length
      await new Promise((next) => setImmediate(next))
      if (turn > 0 && waiting.length === before) break
    }
  }

  return {
    /** Resolves once the item is on disk. Rejects if the database fails. */
    add: (one: One): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.push({ one, resolve, reject })
        writing ??= writeAll()
      }),
    /** Resolves once nothing is being written. */
    drained: async () => writing,
  }
}
