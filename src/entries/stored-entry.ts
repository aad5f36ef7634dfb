import type { Selectable } from 'kysely'
import { parseJson } from '../platform/body.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import type { Awake } from '../shared/status-glyphs.ts'
import type { Instant } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import type { Health, Run } from './contract.ts'

export type StoredEntry = {
  id: string
  tool: string
  name: string | null
  /** Describes an entry that has no name; empty while unknown. */
  about: string
  ownerId: string
  owner: string
  /** Entries of an inactive owner are paused. */
  ownerActive: boolean
  status: boolean
  notifyAfter: number
  health: Health
  failingSince: Instant | null
  pausedSince: Instant | null
  awake: Awake | null
  onlyReminds: boolean
  settings: unknown
  createdAt: Instant
  updatedAt: Instant
  lastRun: Run | null
  nextRunAt: Instant | null
  /** The planned time of the next turn, which may run later than that. */
  turnAt: Instant | null
  /** When its turn began to wait for a free slot on its host. */
  waitingSince: Instant | null
  /** Whether its turn is running, or waiting for a free slot on its host. */
  isUnderWay: boolean
  badgeVersion: number
}

/** State of the app at the entry's last turn, or `reminder` if turns only remind the owner and send no request. */
export type LastSeen = Awake | 'reminder'
export const awakeOf = (seen: LastSeen | null): Awake | null => (seen === 'reminder' ? null : seen)

type EntryRow = Omit<Selectable<Tables['entry']>, 'address' | 'search' | 'changed_by' | 'fails' | 'incident_id'> &
  Pick<Nullable<Selectable<Tables['job']>>, 'due_at' | 'turn_at' | 'waiting_since' | 'lease_by'> & {
    email: string
    owner_status: number
  }
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null }

export const readEntry = (row: EntryRow): StoredEntry => ({
  id: row.id,
  tool: row.tool,
  name: row.name,
  about: row.about,
  ownerId: row.owner_id,
  owner: row.email,
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
  turnAt: row.turn_at,
  waitingSince: row.waiting_since,
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
