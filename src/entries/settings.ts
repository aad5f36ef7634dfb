import type { Context } from '../platform/context.ts'
import type { AnyEntryToolServer, Showing } from './tool-server.ts'

type Settings = Record<string, unknown>

/** Settings in clear, of what is stored of them. */
export const openSettings = (
  { contract, secrets: keeping }: AnyEntryToolServer,
  stored: unknown,
  context: Showing,
): Settings => contract.Settings.parse(keeping ? keeping.open(stored, context) : stored)

/** The present settings with these changes, or new ones of these alone. Throws an HttpError. */
export function completeSettings(
  { contract, secrets: keeping }: AnyEntryToolServer,
  changes: Settings,
  present: Settings | undefined,
): Settings {
  const wanted = contract.Settings.parse({ ...present, ...changes })
  return keeping ? keeping.complete(wanted, present) : wanted
}

/** What is stored of settings; `stored` is what lies there now. */
export const sealSettings = (
  { secrets: keeping }: AnyEntryToolServer,
  settings: Settings,
  stored: unknown,
  context: Context,
): object => (keeping ? keeping.seal(settings, stored, context) : settings)
