import type { Queries } from '../platform/db/open.ts'
import { type Instant, type Milliseconds, minutes } from '../shared/time.ts'

/** How long a sign-in or proof counts as recent. */
const proofLife: Milliseconds = minutes(10)

/** Whether a sign-in or proof is recent. One far in the future predates a clock set-back, so its age is unknown. */
export const isRecent = (at: Instant, now: Instant): boolean => Math.abs(now - at) < proofLife

export async function recordProof(q: Queries, sessionId: string, at: Instant): Promise<void> {
  await q.updateTable('sessions').set({ proved_at: at }).where('id', '=', sessionId).execute()
}
