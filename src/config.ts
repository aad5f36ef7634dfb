import { type AccountsConfig, accountsVariables } from './accounts/config.ts'
import { type Config, platformVariables } from './platform/config/config.ts'
import type { Variables } from './platform/config/variables.ts'
import { serverTools } from './server-tools.ts'

/** What everybody on top knows of the configuration; each tool knows its own variables beside. */
export type AppConfig = Config & AccountsConfig

/** Every variable, each declared beside the code that goes by it. */
export const variables = serverTools
  .flatMap((tool) => tool.variables ?? [])
  .reduce<Variables<AppConfig>>((all, own) => all.and(own), platformVariables.and(accountsVariables))
