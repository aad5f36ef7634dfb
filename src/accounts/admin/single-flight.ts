/** Does work that is the same for everybody once for all who ask while it has not begun: nobody gets what was so before they asked. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined

  const begin = async () => {
    await underWay
    // Requests that arrived in the same turn of the event loop join in.
    await new Promise((resolve) => setImmediate(resolve))
    next = undefined
    const answer = work()
    underWay = answer.catch(() => {})
    return answer
  }
  return () => {
    next ??= begin()
    return next
  }
}
