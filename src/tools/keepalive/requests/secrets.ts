import type { SettingsOf } from '../../../entries/contract.ts'
import type { SettingsSecrets } from '../../../entries/tool-server.ts'
import { keepalive } from '../contract.ts'

type Settings = SettingsOf<typeof keepalive>

/** What entries have that are older than these settings. */
const before = { quiet: null }

export const secrets: SettingsSecrets<Settings> = {
  complete: (settings) => settings,
  seal: (settings) => settings,
  open: (stored) => keepalive.Settings.parse({ ...before, ...Object(stored) }),
  mask: () => ({}),
}
