import { lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { AuthContext } from '../auth.ts'
import { storedRateLimiter } from '../limits/stored-rate-limit.ts'
import type { FactorContext } from './factor.ts'

/** Five wrong codes in a quarter of an hour, wherever they are entered, then none is looked at. */
const mostWrong = 5

/** Checks codes one at a time for each user, and counts the wrong ones. */
export function codeCheck(
  context: AuthContext & FactorContext,
  /** Wrong codes of a proof within a session are counted apart, so that a stolen one locks nobody out of signing in. */
  purpose: 'sign-in' | 'proof',
) {
  const { db } = context
  const wrong = storedRateLimiter(context, { most: mostWrong, refusal: 'Too many wrong codes.' })
  /** Runs `use` under the user's lock. Throws a 429 after too many wrong codes. Only false counts as wrong. */
  return async <Result>(userId: string, use: (tx: Queries) => Promise<Result | false>): Promise<Result | false> => {
    const key = `${purpose === 'proof' ? 'proof-code' : 'code'}:${userId}`
    await wrong.take(key)
    let result: Result | false
    try {
      result = await db.q.transaction().execute(async (tx) => {
        await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
        return use(tx)
      })
    } catch (error) {
      await wrong.giveBack(key)
      throw error
    }
    if (result !== false) await wrong.forget(key)
    return result
  }
}
export type CodeCheck = ReturnType<typeof codeCheck>
