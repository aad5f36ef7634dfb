import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/access/caller.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import type { Step } from './plan.ts'

/** What a preview has found out counts for the import after it. */
const remembered: Milliseconds = minutes(10)
const mostRemembered = 10_000
const atOnce = 20

type Verdict = { why: string | null }

/** Looks whether what a plan would write may be saved, by the rules and limits of the call for a single entry. */
export function checker(context: Context) {
  const { elapsed } = context
  const known = new LRUCache<string, Verdict>({ max: mostRemembered, ttl: remembered, perf: { now: elapsed } })

  async function check(user: Caller['user'], step: Step): Promise<Step> {
    if (step.outcome !== 'created' && step.outcome !== 'changed') return step
    const before = step.outcome === 'changed' ? step.before.settings : undefined
    if (isDeepStrictEqual(step.settings, before)) return step
    const key = createHash('sha256')
      .update(JSON.stringify([user.id, step.of.contract.id, step.body, before]))
      .digest('base64')
    const refused = (why: string, more: { wait?: number } = {}): Step => {
      const { line, tool, what } = step
      return { line, tool, what, outcome: 'refused', why, ...more }
    }
    const verdict = known.get(key)
    if (verdict) return verdict.why === null ? step : refused(verdict.why)
    try {
      await step.of.validate?.(step.settings, context, before, user)
      known.set(key, { why: null })
      return step
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      if (error.retryAfter !== undefined) return refused(error.message, { wait: error.retryAfter })
      known.set(key, { why: error.message })
      return refused(error.message)
    }
  }

  return async (user: Caller['user'], steps: readonly Step[]): Promise<Step[]> => {
    const limit = pLimit(atOnce)
    return Promise.all(steps.map((step) => limit(() => check(user, step))))
  }
}
