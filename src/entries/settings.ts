import type { Context } from '../platform/context.ts'
import type { Instant } from '../shared/time.ts'
import type { StoredEntry } from './stored-entry.ts'
import type { AnyEntryToolServer, Edit, SettingsContext } from './tool-server.ts'

type Settings = Record<string, unknown>

/** Decrypts stored settings. Throws if they don't fit the contract. */
export const openSettings = (
  { contract, secrets }: AnyEntryToolServer,
  stored: unknown,
  context: SettingsContext,
): Settings => contract.Settings.parse(secrets ? secrets.open(stored, context) : stored)

/** A new entry has no present settings. Throws an HttpError if the result is invalid. */
export function completeSettings(
  { contract, secrets }: AnyEntryToolServer,
  edit: Edit,
  current: Settings | undefined,
): Settings {
  const settings = contract.Settings.parse({ ...current, ...edit.changes })
  return secrets ? secrets.complete(settings, current, edit) : settings
}

/** `stored` are the currently stored settings. */
export const sealSettings = (
  { secrets }: AnyEntryToolServer,
  settings: Settings,
  stored: unknown,
  context: Context,
): object => (secrets ? secrets.seal(settings, stored, context) : settings)

export const earliestTurn = ({ schedule }: AnyEntryToolServer, settings: Settings, from: Instant): Instant =>
  schedule?.earliest?.(settings, from) ?? from

/** Undefined if Run now is allowed. */
export function runNowRefusal(
  tool: AnyEntryToolServer,
  { ownerActive, settings }: Pick<StoredEntry, 'ownerActive' | 'settings'>,
  context: SettingsContext,
): string | undefined {
  if (!ownerActive) return "The owner's account is not active, so this entry is paused."
  try {
    return tool.schedule?.noRunsReason?.(openSettings(tool, settings, context))
  } catch {
    // Let the run start: the worker reports settings that can't be read.
    return undefined
  }
}

/** The URL that an entry calls; undefined if it is secret, or unreadable, so that a broken entry affects no others. */
export function calledUrlOf(tool: AnyEntryToolServer, settings: string, context: SettingsContext): string | undefined {
  try {
    return tool.schedule?.subject(openSettings(tool, JSON.parse(settings), context))
  } catch {
    return undefined
  }
}
