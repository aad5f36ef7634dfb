import { uptime } from 'node:os'
import type { Instant, Milliseconds } from '../shared/time.ts'

/** Between two looks the clocks may differ by less without the machine having slept. */
const leastSleep: Milliseconds = 1_000
const leastJump: Milliseconds = 250

/** What the machine tells of time. */
const machine = { awake: () => performance.now(), up: () => uptime() * 1_000, now: Date.now }

/**
 * A clock that nobody sets and that goes on while the machine sleeps. On Linux `performance.now()` stands still in sleep;
 * `os.uptime()` goes on, but reads a file (8 µs) of hundredths of a second: it is asked only when the wall clock has
 * jumped, to tell a sleep from a clock that was set.
 */
export function elapsedOnMachine(
  tells: { awake: () => Milliseconds; up: () => Milliseconds; now: () => Instant } = machine,
) {
  const head = tells.up() - tells.awake()
  let lead = tells.now() - tells.awake()
  let slept = 0
  return (): Milliseconds => {
    const awake = tells.awake()
    const jump = tells.now() - awake - lead
    if (Math.abs(jump) >= leastJump) {
      lead += jump
      const found = tells.up() - awake - head
      if (found - slept >= leastSleep) slept = found
    }
    return awake + slept
  }
}
