import { type AccountsConfig, accountsVariables } from './accounts/config.ts'
import { type BackupsConfig, backupVariables } from './backups/config.ts'
import { noticesVariables } from './notices/config.ts'
import { type Config, platformVariables } from './platform/config/config.ts'
import type { Variables } from './platform/config/variables.ts'
import { serverTools } from './server-tools.ts'

/** The configuration as the wiring knows it; each tool also knows its own variables. */
export type AppConfig = Config & AccountsConfig & BackupsConfig

/** Every variable, each declared beside the code that uses it. */
export const variables = serverTools
  .flatMap((tool) => tool.variables ?? [])
  .reduce<Variables<AppConfig>>(
    (all, own) => all.and(own),
    platformVariables.and(noticesVariables).and(accountsVariables).and(backupVariables),
  )
