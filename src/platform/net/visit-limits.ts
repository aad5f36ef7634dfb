import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import { rateLimiter } from '../rate-limit.ts'

const per = minutes(1)

/** How often a user may have us call other hosts; every call of the API that leads to one takes from these. */
export type VisitLimits = ReturnType<typeof visitLimits>

/** Each but `mayRun` throws a 429 when there is none left. */
export function visitLimits(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: 60, per, refusal: 'Too many checks, tests and runs.' })
  const urlsOfUser = rateLimiter(elapsed, { most: 300, per, refusal: 'Too many new URLs.' })
  const runsOfEntry = rateLimiter(elapsed, { most: 6, per, refusal: 'Too many runs of this entry.' })
  const takeRun = (userId: string, entryId: string) => {
    const giveBack = runsOfEntry(entryId)
    try {
      ofUser(userId)
    } catch (refusal) {
      giveBack()
      throw refusal
    }
  }
  return {
    /** For a check, a preview or a test. */
    takeCheck: ofUser,
    /** For a URL that is saved for the first time or changed. */
    takeUrl: urlsOfUser,
    /** For a run that a user asks for. */
    takeRun,
    /** The same for a run that can wait; answers whether it need not. */
    mayRun(userId: string, entryId: string): boolean {
      try {
        takeRun(userId, entryId)
        return true
      } catch (refusal) {
        if (refusal instanceof HttpError) return false
        throw refusal
      }
    },
  }
}
