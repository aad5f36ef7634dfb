import { setImmediate } from 'node:timers/promises'
import type { Milliseconds } from '../../shared/time.ts'

const longest: Milliseconds = 10
let last: Promise<unknown> = Promise.resolve()

/** Returns a function to `await` after each small step. It yields after 10 ms; each loop turn resumes one task. */
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
