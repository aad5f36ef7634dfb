import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
import type { Tables } from '../../platform/db/tables.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'
import type { Awake } from '../../shared/status-glyphs.ts'
import { Active, can } from '../../shared/user.ts'
import { awakeOf } from '../stored-entry.ts'

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

type StateRow = Pick<
  Selectable<Tables['entry']>,
  'status' | 'last_at' | 'failing_since' | 'blocked_at' | 'incident_id' | 'awake'
>

export function publicState(row: StateRow): PublicState {
  if (row.status === 0) return 'paused'
  if (row.blocked_at !== null || row.incident_id !== null) return 'down'
  if (row.failing_since !== null) return 'failing'
  if (row.awake === 'reminder') return 'unchecked'
  return row.last_at === null ? 'new' : 'up'
}

/** Null for entries that aren't checked: paused ones, and those that only remind their owner. */
export const publicAwake = ({ status, awake }: Pick<StateRow, 'status' | 'awake'>): Awake | null =>
  status === 0 ? null : awakeOf(awake)

export const mayPublish = (owner: { status: number; roles: string }): boolean =>
  owner.status === Active && can({ roles: Roles.parse(JSON.parse(owner.roles)) }, 'Tools', 1)
