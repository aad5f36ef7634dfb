import type { LiveEvent } from '../../platform/live/events.ts'

/** The live event that tells screens to reload an entry. */
export const changedEntry = (
  tool: string,
  id: string,
  ownerId: string,
  act: 'created' | 'changed' | 'deleted' = 'changed',
): LiveEvent => ({
  type: 'entry',
  to: { userId: ownerId, role: ['Tools', 2] },
  data: { tool, id, act },
})
