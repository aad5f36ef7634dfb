import type { Config } from '../../../platform/config/config.ts'
import type { AccountsConfig } from '../../config.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'
import type { Provider } from './provider.ts'

/** The external providers this server offers, in the order of their ids. */
export function configuredProviders(config: Config & AccountsConfig): readonly Provider[] {
  return [
    ...(config.discord ? [discord(config.discord, config)] : []),
    ...(config.github ? [github(config.github, config)] : []),
  ]
}
