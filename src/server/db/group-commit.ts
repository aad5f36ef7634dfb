import type { Db } from './open.ts'

type Waiting<One, Answer> = { one: One; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** Turns of the event loop that a group grows at most, while each brings more. */
const mostTurns = 4

/**
 * Writes together what many ask for at once: those that come while others are written form the next group, of `most` at
 * most. `write` answers one by one, in their order; each is answered when its group is on disk, or rejected with it.
 */
export function groupCommit<One, Answer>(
  { kind }: Pick<Db, 'kind'>,
  { most, write }: { most: number; write: (group: readonly One[]) => Promise<readonly Answer[]> },
) {
  let waiting: Waiting<One, Answer>[] = []
  let writing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    let answerLast = () => {}
    while (waiting.length > 0) {
      const next = writeNext()
      // A group is answered while the one after it is written.
      setImmediate(answerLast)
      answerLast = await next
    }
    writing = undefined
    answerLast()
  }

  /** Writes all that wait; what it answers then answers them. */
  async function writeNext(): Promise<() => void> {
    if (kind === 'sqlite') await grow()
    const group = waiting.slice(0, most)
    waiting = waiting.slice(most)
    return write(group.map(({ one }) => one)).then(
      (answers) => () => {
        for (const [index, { resolve }] of group.entries()) resolve(answers[index]!)
      },
      (error: unknown) => () => {
        for (const { reject } of group) reject(error)
      },
    )
  }

  /** Lets a group grow while more pours in: to write to disk costs much, one more in it little. What waits for another server grows by itself. */
  async function grow(): Promise<void> {
    for (let turn = 0; turn < mostTurns && waiting.length < most; turn += 1) {
      const before = waiting.length
      await new Promise((next) => setImmediate(next))
      if (turn > 0 && waiting.length === before) return
    }
  }

  return {
    /** Answers when it is on disk. Rejects when the database failed. */
    add: (one: One): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.push({ one, resolve, reject })
        writing ??= writeAll()
      }),
    /** Resolves when nothing is being written any more. */
    settled: async () => writing,
  }
}
