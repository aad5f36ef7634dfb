import type { Watch } from '../health.ts'
import type { Db } from './open.ts'

type Waiting<One, Answer> = { one: One; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** The most turns of the event loop for which a group may grow, while each turn adds to it. */
const mostTurns = 4

/**
 * Writes together what many ask for at once: those that arrive while others are written form the next group, of at most
 * `most`. `write` returns their answers in order. Each is answered once its group is on disk, or rejected with its group.
 * For `watch` both count as progress: only a group without any outcome stands still.
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

  /** Writes group after group. On SQLite a crowd that came meanwhile is on its way to the disk before the last group is answered: neither waits for the other. */
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

  /** Resolves with how to answer the group once its outcome is known. */
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

  /** Lets the next group grow to this size: a write to disk costs much, one more in it little, and those who were answered often ask again. */
  async function grow(size: number): Promise<void> {
    for (let turn = 0; turn < mostTurns && waiting.length < size; turn += 1) {
      const before = waiting.length
      await new Promise((next) => setImmediate(next))
      if (turn > 0 && waiting.length === before) break
    }
  }

  return {
    /** Resolves once it is on disk. Rejects if the database fails. */
    add: (one: One): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.push({ one, resolve, reject })
        writing ??= writeAll()
      }),
    /** Resolves once nothing is being written any more. */
    drained: async () => writing,
  }
}
