import type * as z from 'zod'
import { analyticsbadgeVariables } from './analyticsbadge/config.ts'
import { ghmdinvalidatorVariables } from './ghmdinvalidator/config.ts'
import { herokudiscordwebhookVariables } from './herokudiscordwebhook/config.ts'
import { keepaliveVariables } from './keepalive/config.ts'

/** What the operator may tell the tools. */
export const toolVariables = keepaliveVariables
  .and(ghmdinvalidatorVariables)
  .and(herokudiscordwebhookVariables)
  .and(analyticsbadgeVariables)
export type ToolsConfig = Readonly<z.infer<typeof toolVariables>>
