import { days, type Milliseconds, seconds } from '../../shared/time.ts'

/** The longest wait, whatever was answered. */
const longestWait = days(1)

/** How long an answer asks us to wait, in a header or its body, each in seconds; undefined if none of them makes sense. */
export function askedWait(...asked: readonly (string | number | undefined)[]): Milliseconds | undefined {
  const waits = asked.map((wait) => Math.ceil(seconds(Number(wait)))).filter((wait) => wait > 0)
  return waits.length > 0 ? Math.min(Math.max(...waits), longestWait) : undefined
}
