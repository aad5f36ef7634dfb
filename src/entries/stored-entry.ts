import type { InferResult } from 'kysely'
import { parseJson } from '../platform/body.ts'
import type { Queries } from '../platform/db/open.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import type { Awake } from '../shared/status-glyphs.ts'
import type { Instant } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import type { Health, Run } from './contract.ts'

/** State of the app at the entry's last turn, or `reminder` if turns only remind the owner and send no request. */
export type LastSeen = Awake | 'reminder'
export const awakeOf = (seen: LastSeen | null): Awake | null => (seen === 'reminder' ? null : seen)

/** Entries with their owner and next turn, for `readEntry`. */
export const selectEntries = (q: Queries) =>
  q
    .selectFrom('entry')
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .leftJoin('job', (join) => join.onRef('job.entry_id', '=', 'entry.id').on('job.kind', '=', 'turn'))
    .select(['entry.id', 'entry.tool', 'entry.name', 'entry.about', 'entry.settings', 'entry.notify_after'])
    .select(['entry.owner_id', 'users.email', 'users.status as owner_status', 'entry.status', 'entry.paused_at'])
    .select(['entry.failing_since', 'entry.blocked_at', 'entry.awake', 'entry.badge_version'])
    .select(['entry.last_at', 'entry.last_success', 'entry.last_duration', 'entry.last_count', 'entry.last_note'])
    .select(['entry.created_at', 'entry.updated_at'])
    .select(['job.due_at', 'job.turn_at', 'job.waiting_since', 'job.lease_by'])
type EntryRow = InferResult<ReturnType<typeof selectEntries>>[number]

export type StoredEntry = ReturnType<typeof readEntry>

export const readEntry = (row: EntryRow) => ({
  id: row.id,
  tool: row.tool,
  name: row.name,
  /** Describes an entry that has no name; empty while unknown. */
  about: row.about,
  ownerId: row.owner_id,
  owner: row.email,
  /** Entries of an inactive owner are paused. */
  ownerActive: row.owner_status === Active,
  status: row.status === 1,
  notifyAfter: row.notify_after,
  health: healthOf(row),
  failingSince: { blocked: row.blocked_at, failing: row.failing_since, paused: null, new: null, ok: null }[
    healthOf(row)
  ],
  pausedSince: row.status === 0 ? row.paused_at : null,
  awake: awakeOf(row.awake),
  onlyReminds: row.awake === 'reminder',
  // Text that isn't JSON fails the contract later, so only this entry can't be shown.
  settings: parseJson(row.settings),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastRun:
    row.last_at === null
      ? null
      : readRun(row.last_at, row.last_success, row.last_duration, row.last_count, row.last_note),
  nextRunAt: row.due_at,
  /** The planned time of the next turn, which may run later than that. */
  turnAt: row.turn_at,
  /** When its turn began to wait for a free slot on its host. */
  waitingSince: row.waiting_since,
  /** Whether its turn is running, or waiting for a free slot on its host. */
  isUnderWay: row.lease_by !== null || row.waiting_since !== null,
  badgeVersion: row.badge_version,
})

function healthOf(row: EntryRow): Health {
  if (row.status === 0 || row.owner_status !== Active) return 'paused'
  if (row.blocked_at !== null) return 'blocked'
  if (row.failing_since !== null) return 'failing'
  return row.last_at === null ? 'new' : 'ok'
}

export const readRun = (
  at: Instant,
  success: 0 | 1 | null,
  duration: number | null,
  count: number | null,
  note: string | null,
): Run => ({
  success: success === 1,
  timestamp: at,
  ...(duration === null ? {} : { duration }),
  ...(count === null ? {} : { status: count }),
  ...(note === null ? {} : { note }),
})

export const entryChanged = (
  tool: string,
  id: string,
  ownerId: string,
  act: 'created' | 'changed' | 'deleted' = 'changed',
): LiveEvent => ({
  type: 'entry',
  to: { userId: ownerId, role: ['Tools', 2] },
  data: { tool, id, act },
})
