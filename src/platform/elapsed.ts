import { uptime } from 'node:os'
import type { Instant, Milliseconds } from '../shared/time.ts'

/** A smaller difference between the clocks doesn't mean that the machine has slept. */
const leastSleep: Milliseconds = 1_000
const leastJump: Milliseconds = 250

/** The machine's clocks. */
const machine = { awake: () => performance.now(), up: () => uptime() * 1_000, now: Date.now }

/**
 * A clock that is never set and that runs on while the machine sleeps. On Linux `performance.now()` stops during sleep.
 * `os.uptime()` runs on, but reads a file (8 µs) and counts hundredths of a second, so it is read only if the wall clock
 * has jumped, to distinguish sleep from a clock that was set.
 */
export function elapsedOnMachine(
  clocks: { awake: () => Milliseconds; up: () => Milliseconds; now: () => Instant } = machine,
) {
  const head = clocks.up() - clocks.awake()
  let lead = clocks.now() - clocks.awake()
  let slept = 0
  return (): Milliseconds => {
    const awake = clocks.awake()
    const jump = clocks.now() - awake - lead
    if (Math.abs(jump) >= leastJump) {
      lead += jump
      const found = clocks.up() - awake - head
      if (found - slept >= leastSleep) slept = found
    }
    return awake + slept
  }
}
