import type { Context } from '../../platform/context.ts'
import type { SilentTurn } from '../../platform/net/offline.ts'
import type { Outcome } from '../tool-server.ts'

/** Performs a turn, or postpones it while nothing outside can be reached, so that its target isn't blamed. */
export async function performTurn(
  { offline, elapsed }: Pick<Context, 'offline' | 'elapsed'>,
  turn: Omit<SilentTurn, 'began'>,
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  const wait = await offline.postpone(turn)
  if (wait > 0) return { again: wait }
  const began = elapsed()
  const outcome = await perform()
  if (!isSilent(outcome)) return outcome
  const longer = await offline.judge({ ...turn, began })
  return longer > 0 ? { again: longer } : outcome
}

/** Performs Run now, which is recorded also while nothing outside can be reached. */
export async function performNow(
  { offline }: Pick<Context, 'offline'>,
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await perform()
  if ('again' in outcome || outcome.success || !isSilent(outcome) || !offline.isOffline()) return outcome
  return { ...outcome, note: `${outcome.note}; this server seems to be offline`, isOurs: true }
}

/** Trouble of our own, such as an unreachable name server, is no answer either. */
const isSilent = (outcome: Outcome) =>
  'again' in outcome ? !outcome.crowded : !outcome.success && outcome.unreachable === true
