import type { Kit } from '../platform/kit.ts'
import type { AnyEntryTool, Showing } from './tool.ts'

type Settings = Record<string, unknown>

/** Settings in clear, of what is stored of them. */
export const openSettings = ({ contract, keeping }: AnyEntryTool, stored: unknown, kit: Showing): Settings =>
  contract.Settings.parse(keeping ? keeping.open(stored, kit) : stored)

/** The present settings with these changes, or new ones of these alone. Throws a Fault. */
export function completeSettings(
  { contract, keeping }: AnyEntryTool,
  changes: Settings,
  present: Settings | undefined,
): Settings {
  const wanted = contract.Settings.parse({ ...present, ...changes })
  return keeping ? keeping.complete(wanted, present) : wanted
}

/** What is stored of settings; `stored` is what lies there now. */
export const sealSettings = ({ keeping }: AnyEntryTool, settings: Settings, stored: unknown, kit: Kit): object =>
  keeping ? keeping.seal(settings, stored, kit) : settings
