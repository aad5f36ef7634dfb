import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { noRoom } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { pacer } from '../../platform/imports/pacer.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { refusedStep, type Step } from './plan.ts'

/** What a preview has found out counts for the import after it. */
const remembered: Milliseconds = minutes(10)
const mostRemembered = 10_000
const atOnce = 100
/** What has not begun by then is left for another try. */
const longest: Milliseconds = seconds(10)
const tooLate = 'There was no time left to look this up. Try again, and it goes on from here.'
const triedAgainIn = 1

type Written = Extract<Step, { outcome: 'created' | 'changed' }>
const isWritten = (step: Step): step is Written => step.outcome === 'created' || step.outcome === 'changed'

/** When to begin no more, and how others have their turn. */
type Time = { until: Milliseconds; pause: ReturnType<typeof pacer> }
type Verdict = { why: string | null }

/** Looks whether what a plan would write may be saved, by the rules and limits of the call for a single entry. */
export function checker(context: Context) {
  const { elapsed } = context
  const known = new LRUCache<string, Verdict>({ max: mostRemembered, ttl: remembered, perf: { now: elapsed } })

  async function check(user: Caller['user'], step: Written, { until, pause }: Time): Promise<Step> {
    const before = step.outcome === 'changed' ? step.before.settings : undefined
    await pause()
    if (isDeepStrictEqual(step.settings, before)) return step
    const key = createHash('sha256')
      .update(JSON.stringify([user.id, step.of.contract.id, step.body, before]))
      .digest('base64')
    const verdict = known.get(key)
    if (verdict) return verdict.why === null ? step : refusedStep(step, verdict.why)
    if (elapsed() >= until) return refusedStep(step, tooLate, { wait: triedAgainIn })
    try {
      await step.of.validate?.(step.settings, context, before, user)
      known.set(key, { why: null })
      return step
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      if (error.retryAfter !== undefined) return refusedStep(step, error.message, { wait: error.retryAfter })
      known.set(key, { why: error.message })
      return refusedStep(step, error.message)
    }
  }

  /** Of new entries as many as there is room for are looked at, in their order; what is refused takes no room. */
  return async (user: Caller['user'], steps: readonly Step[], room: number): Promise<Step[]> => {
    const time = { until: elapsed() + longest, pause: pacer() }
    const limit = pLimit(atOnce)
    const checked = new Map<Step, Step>()
    let left = room
    for (let waiting = steps; waiting.length > 0; ) {
      let count = 0
      const fits = (step: Step) => step.outcome !== 'created' || ++count <= left
      const { next = [], later = [] } = Object.groupBy(waiting, (step) => (fits(step) ? 'next' : 'later'))
      const looked = await Promise.all(
        next.map((step) => (isWritten(step) ? limit(() => check(user, step, time)) : step)),
      )
      for (const [index, step] of next.entries()) checked.set(step, looked[index] ?? step)
      left -= looked.filter(({ outcome }) => outcome === 'created').length
      if (left <= 0) for (const step of later) checked.set(step, refusedStep(step, noRoom))
      waiting = left <= 0 ? [] : later
    }
    return steps.map((step) => checked.get(step) ?? step)
  }
}
