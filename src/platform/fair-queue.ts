/** A task waiting for its turn. Among an owner's tasks, the one with the lowest `at` starts first. */
type Work = { owner: string; at: number; begin: (release: () => void) => void; refuse: () => void }
type Options = {
  /** How many tasks may run at the same time. */
  concurrency: number
  /** How many tasks may wait. Beyond that, the newest task of the owner with the most waiting tasks is refused. */
  mostWaiting?: number
  /** Creates the error that `enter` and `run` throw for a refused task. */
  refusal?: () => Error
  /** Whether an owner may start another task only if more slots are free than they already use. */
  leavesRoom?: boolean
}

/** Limit of remembered owners, to bound memory. When it is reached, all owners count as never served. */
const mostOwners = 10_000

/** Starts the next task of the owner with the fewest running tasks; among equals, of the owner served longest ago. */
export function fairQueue({
  concurrency,
  mostWaiting = Number.POSITIVE_INFINITY,
  leavesRoom = false,
  refusal,
}: Options) {
  const running = new Map<string, number>()
  const queues = new Map<string, Work[]>()
  const lastTurns = new Map<string, number>()
  let [runningCount, waitingCount, sequence] = [0, 0, 0]

  const runningOf = (owner: string) => running.get(owner) ?? 0
  const lastTurnOf = (owner: string) => lastTurns.get(owner) ?? 0
  const mayBegin = (owner: string) =>
    runningCount < concurrency && (!leavesRoom || runningOf(owner) < concurrency - runningCount)
  const byTurn = (one: string, other: string) =>
    runningOf(one) - runningOf(other) || lastTurnOf(one) - lastTurnOf(other)

  const take = (owner: string, index: number): Work => {
    const line = queues.get(owner)!
    const [work] = line.splice(index, 1)
    if (line.length === 0) queues.delete(owner)
    waitingCount -= 1
    return work!
  }
  const beginNext = () => {
    while (runningCount < concurrency && waitingCount > 0) {
      const [owner] = [...queues.keys()].filter(mayBegin).sort(byTurn)
      if (owner === undefined) return
      runningCount += 1
      running.set(owner, runningOf(owner) + 1)
      if (lastTurns.size >= mostOwners) lastTurns.clear()
      sequence += 1
      lastTurns.set(owner, sequence)
      take(owner, 0).begin(() => release(owner))
    }
  }
  const release = (owner: string) => {
    runningCount -= 1
    running.set(owner, runningOf(owner) - 1)
    if (runningOf(owner) === 0) running.delete(owner)
    beginNext()
  }
  const refuseNewest = () => {
    const newestOf = (line: readonly Work[]) => line.at(-1)?.at ?? 0
    const [longest] = [...queues].sort(
      ([, one], [, other]) => other.length - one.length || newestOf(other) - newestOf(one),
    )
    if (longest) take(longest[0], -1).refuse()
  }

  const add = (work: Work) => {
    const line = queues.get(work.owner) ?? []
    queues.set(work.owner, line)
    line.splice(line.findLastIndex(({ at }) => at <= work.at) + 1, 0, work)
    waitingCount += 1
    beginNext()
    if (waitingCount > mostWaiting) refuseNewest()
  }
  /** Waits for this owner's turn. Returns the function that ends it. */
  const enter = (owner: string) =>
    new Promise<() => void>((begin, reject) => {
      sequence += 1
      add({ owner, at: sequence, begin, refuse: () => reject(refusal?.()) })
    })

  return {
    add,
    enter,
    async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
      const end = await enter(owner)
      try {
        return await work()
      } finally {
        end()
      }
    },
    isIdle: () => runningCount + waitingCount === 0,
  }
}
export type FairQueue = ReturnType<typeof fairQueue>
