import { type BackupsConfig, backupVariables } from './backups/config.ts'
import { noticesVariables } from './notices/config.ts'
import { type Config, platformVariables } from './platform/config/config.ts'
import type { Variables } from './platform/config/variables.ts'
import { serverTools } from './server-tools.ts'
import { type SignInConfig, signInVariables } from './sign-in/config.ts'

/** The configuration without the variables of tools, which only the tool itself uses. */
export type AppConfig = Config & SignInConfig & BackupsConfig

/** All environment variables, each declared next to the code that uses it. */
export const variables = serverTools
  .flatMap((tool) => tool.variables ?? [])
  .reduce<Variables<AppConfig>>(
    (all, own) => all.and(own),
    platformVariables.and(noticesVariables).and(signInVariables).and(backupVariables),
  )
