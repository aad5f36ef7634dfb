import type { AnyEntryTool, ServerTool } from '../entries/tool.ts'
import { analyticsbadgeServer } from './analyticsbadge/server.ts'
import { ghmdinvalidatorServer } from './ghmdinvalidator/server.ts'
import { herokudiscordwebhookServer } from './herokudiscordwebhook/server.ts'
import type { Contracts } from './index.ts'
import { keepaliveServer } from './keepalive/server.ts'

/** The server's half of every tool; the compiler names what is missing. */
export const serverTools = {
  analyticsbadge: analyticsbadgeServer,
  keepalive: keepaliveServer,
  herokudiscordwebhook: herokudiscordwebhookServer,
  ghmdinvalidator: ghmdinvalidatorServer,
} satisfies { [Id in keyof Contracts]: ServerTool<Contracts[Id]> }

const { analyticsbadge: _, ...withEntries } = serverTools
/** The tools that keep entries. */
export const entryTools: readonly AnyEntryTool[] = Object.values(withEntries)
