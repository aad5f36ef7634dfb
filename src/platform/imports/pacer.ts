import { setImmediate } from 'node:timers/promises'
import type { Milliseconds } from '../../shared/time.ts'

/** How long a task runs before it yields to other work. */
const longest: Milliseconds = 10
let last: Promise<unknown> = Promise.resolve()

/**
 * Returns a function that yields to other work: `await` its result after each small step. It waits only once the steps
 * have taken 10 ms. Of several waiting tasks, each turn of the event loop continues one.
 */
export function pacer(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < longest) return undefined
    const turn = last.then(() => setImmediate())
    last = turn
    return turn.then(() => {
      began = performance.now()
    })
  }
}
