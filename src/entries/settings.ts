import type { Context } from '../platform/context.ts'
import type { Instant } from '../shared/time.ts'
import type { StoredEntry } from './stored-entry.ts'
import type { AnyEntryToolServer, Edit, Showing } from './tool-server.ts'

type Settings = Record<string, unknown>

/** Stored settings in clear. */
export const openSettings = ({ contract, secrets }: AnyEntryToolServer, stored: unknown, context: Showing): Settings =>
  contract.Settings.parse(secrets ? secrets.open(stored, context) : stored)

/** The present settings with these changes; of a new entry, these alone. Throws an HttpError. */
export function completeSettings(
  { contract, secrets }: AnyEntryToolServer,
  edit: Edit,
  present: Settings | undefined,
): Settings {
  const settings = contract.Settings.parse({ ...present, ...edit.changes })
  return secrets ? secrets.complete(settings, present, edit) : settings
}

/** Settings as they will be stored; `stored` is what is there now. */
export const sealSettings = (
  { secrets }: AnyEntryToolServer,
  settings: Settings,
  stored: unknown,
  context: Context,
): object => (secrets ? secrets.seal(settings, stored, context) : settings)

/** The first time from this one on at which a turn may run. */
export const earliestTurn = ({ schedule }: AnyEntryToolServer, settings: Settings, from: Instant): Instant =>
  schedule?.earliest?.(settings, from) ?? from

/** Why an entry is not run when that is asked for; undefined if it is. */
export function whyNoRun(
  tool: AnyEntryToolServer,
  { ownerActive, settings }: Pick<StoredEntry, 'ownerActive' | 'settings'>,
  context: Showing,
): string | undefined {
  if (!ownerActive) return "The owner's account is not active, so this entry is paused."
  try {
    return tool.schedule?.noRuns?.(openSettings(tool, settings, context))
  } catch {
    // The worker says of a run that its settings can't be read.
    return undefined
  }
}

/** What an entry calls; undefined if that is a secret, or can't be read: one such entry keeps no other from being told or shown. */
export function calledBy(tool: AnyEntryToolServer, settings: string, context: Showing): string | undefined {
  try {
    return tool.schedule?.subject(openSettings(tool, JSON.parse(settings), context))
  } catch {
    return undefined
  }
}
