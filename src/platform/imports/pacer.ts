import { setImmediate } from 'node:timers/promises'
import type { Milliseconds } from '../../shared/time.ts'

/** How long a piece of work goes on before others have their turn. */
const longest: Milliseconds = 10
let last: Promise<unknown> = Promise.resolve()

/**
 * Lets others have their turn: `await` its answer after each small step. It waits only once the steps have taken a while,
 * and of several works that wait, each turn of the event loop continues one.
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
