import * as z from 'zod/mini'
import type { Db, Queries } from '../platform/db/open.ts'
import { sharedState } from '../platform/db/shared-state.ts'
import type { Instant } from '../shared/time.ts'

export const stateKey = 'backups'

const State = z.object({
  last: z.optional(z.object({ name: z.string(), at: z.int() })),
  /** Names of this installation's backups, even unfinished ones; others may share the folder. Unset by old releases. */
  own: z.optional(z.array(z.string())),
  failed: z.optional(z.object({ at: z.int(), why: z.string() })),
  isTold: z.optional(z.boolean()),
  /** The id of the backup in progress, and when its claim expires. */
  claim: z.optional(z.object({ by: z.string(), until: z.int() })),
})
export type State = z.infer<typeof State>

const shared = sharedState(stateKey, State)

export const readState = async (q: Queries): Promise<State> => (await shared.read(q)) ?? {}
/** Locks the state until the transaction ends. */
export const lockState = async (db: Db, tx: Queries): Promise<State> => (await shared.lock(db, tx)) ?? {}
export const writeState = shared.write

/** The time of the last successful backup, for monitors that watch its age; undefined before the first. */
export const lastBackupAt = async (q: Queries): Promise<Instant | undefined> => (await readState(q)).last?.at
