import type { Context } from '../platform/context.ts'
import type { Instant } from '../shared/time.ts'
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
