import * as z from 'zod/mini'
import type { Db, Queries } from '../platform/db/open.ts'
import { sharedState } from '../platform/db/shared-state.ts'
import type { Instant } from '../shared/time.ts'

export const stateKey = 'backups'

const State = z.object({
  /** The last good one, and when it was made. */
  last: z.optional(z.object({ name: z.string(), at: z.int() })),
  /** The names in the folder that we have made, or begun; others may use the folder, too. Before they were kept, all were ours. */
  own: z.optional(z.array(z.string())),
  /** The last try, if it failed. */
  failed: z.optional(z.object({ at: z.int(), why: z.string() })),
  /** Whether admins know that there is trouble. */
  isTold: z.optional(z.boolean()),
  /** Who is making one, and until when they count as doing so. */
  claim: z.optional(z.object({ by: z.string(), until: z.int() })),
})
export type State = z.infer<typeof State>

const shared = sharedState(stateKey, State)

export const readState = async (q: Queries): Promise<State> => (await shared.read(q)) ?? {}
/** The same, kept from others until the transaction ends. */
export const lockState = async (db: Db, tx: Queries): Promise<State> => (await shared.lock(db, tx)) ?? {}
export const writeState = shared.write

/** When the last good backup was made, for monitors that watch its age; undefined before the first. */
export const lastBackupAt = async (q: Queries): Promise<Instant | undefined> => (await readState(q)).last?.at
