import * as z from 'zod/mini'
import type { Bool } from '../../platform/db/tables.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'
import type { Awake } from '../../shared/status-glyphs.ts'
import { Active, can } from '../../shared/user.ts'
import { awakeOf, type LastSeen } from '../stored-entry.ts'

/** `failing` until the failures open an incident, then `down`; `new` before the first run; `unchecked` without runs. */
export const PublicState = z.enum(['up', 'failing', 'down', 'paused', 'new', 'unchecked'])
export type PublicState = z.infer<typeof PublicState>

export const stateColumns = [
  'entry.status',
  'entry.last_at',
  'entry.failing_since',
  'entry.blocked_at',
  'entry.incident_id',
  'entry.awake',
] as const

export function publicState(row: {
  status: Bool
  last_at: number | null
  failing_since: number | null
  blocked_at: number | null
  incident_id: string | null
  awake: LastSeen | null
}): PublicState {
  if (row.status === 0) return 'paused'
  if (row.blocked_at !== null || row.incident_id !== null) return 'down'
  if (row.failing_since !== null) return 'failing'
  if (row.awake === 'reminder') return 'unchecked'
  return row.last_at === null ? 'new' : 'up'
}

/** Null for entries that aren't checked: paused ones, and those that only remind their owner. */
export const publicAwake = ({ status, awake }: { status: Bool; awake: LastSeen | null }): Awake | null =>
  status === 0 ? null : awakeOf(awake)

export const mayPublish = (owner: { status: number; roles: string }): boolean =>
  owner.status === Active && can({ roles: Roles.parse(JSON.parse(owner.roles)) }, 'Tools', 1)
