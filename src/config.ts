import { type AccountsConfig, accountsVariables } from './accounts/config.ts'
import { type Config, platformVariables } from './platform/config/config.ts'
import { type ToolsConfig, toolVariables } from './tools/config.ts'

/** Every variable, each declared beside the code that goes by it. */
export const variables = platformVariables.and(accountsVariables).and(toolVariables)
export type AppConfig = Config & AccountsConfig & ToolsConfig
