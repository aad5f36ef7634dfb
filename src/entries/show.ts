import * as z from 'zod/mini'
import type { Caller } from '../platform/http/app.ts'
import type { Instant } from '../shared/time.ts'
import type { Run, Stats } from './contract.ts'
import { uptimeOf } from './health/uptime.ts'
import { earliestTurn, openSettings } from './settings.ts'
import type { StoredEntry } from './stored-entry.ts'
import type { AnyEntryToolServer, Masks, SettingsContext } from './tool-server.ts'

/** Throws if the stored settings don't fit the contract. */
export const toDetail = (
  tool: AnyEntryToolServer,
  { tool: _, ownerId: __, settings, ...entry }: StoredEntry,
  context: SettingsContext,
) => {
  const opened = openSettings(tool, settings, context)
  const hasRuns = tool.schedule?.noRunsReason?.(opened) === undefined
  const nextRunAt = hasRuns ? entry.nextRunAt && earliestTurn(tool, opened, entry.nextRunAt) : null
  return { ...opened, ...tool.show?.(settings, context, opened), ...entry, nextRunAt }
}

/** The masks that apply to this caller: an API key that can't write sees no secrets. */
export const masksFor = ({ masks = {} }: AnyEntryToolServer, { scopes }: Caller): Masks =>
  scopes.includes('write') ? {} : masks

/** Leaves out fields that are null. */
export const maskFields = (fields: object, masks: Masks): object =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const mask = masks[name]
      return mask && typeof value === 'string' ? [[name, mask(value)]] : []
    }),
  )

type Unreadable = { id: string; why: string }

/** Separates the entries whose stored settings don't fit the contract. */
export async function toListItems(
  tool: AnyEntryToolServer,
  entries: readonly StoredEntry[],
  context: SettingsContext,
  masks: Masks = {},
) {
  const ids = entries.map(({ id }) => id)
  const extras = await tool.loadExtras?.(ids, context)
  const unreadable: Unreadable[] = []
  const items = entries.flatMap((entry) => {
    try {
      const item = toDetail(tool, entry, context)
      const replaced = { ...tool.secrets?.mask(item), ...maskFields(item, masks) }
      return [tool.contract.ListItem.parse({ ...item, ...replaced, ...extras?.get(entry.id) })]
    } catch (error) {
      unreadable.push({ id: entry.id, why: describeError(error) })
      return []
    }
  })
  return { items, unreadable }
}

function describeError(error: unknown): string {
  if (!(error instanceof z.core.$ZodError)) return String(error)
  return error.issues.map(({ path, message }) => `${path.join('.') || 'settings'}: ${message}`).join(' ')
}

/** Durations are those of successful runs. */
export function statsOf(runs: readonly Run[], days: Stats['days'], now: Instant): Stats {
  const durations = runs
    .filter((run) => run.success)
    .flatMap((run) => run.duration ?? [])
    .sort((a, b) => a - b)
  const up = runs.length === 0 ? null : runs.filter((run) => run.success).length / runs.length
  const uptime = uptimeOf({ runs, days }, now)
  return { up, median: quantile(durations, 0.5), p95: quantile(durations, 0.95), uptime, days }
}

/** By the nearest-rank method; null if there are no values. */
const quantile = (sorted: readonly number[], q: number): number | null =>
  sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? null
