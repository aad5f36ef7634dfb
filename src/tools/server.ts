import type { ServerTool } from '../entries/tool.ts'
import type { Contracts } from './index.ts'
import { keepaliveServer } from './keepalive/server.ts'

/** The server's half of every tool; the compiler names what is missing. */
export const serverTools = {
  keepalive: keepaliveServer,
} satisfies { [Id in keyof Contracts]: ServerTool<Contracts[Id]> }
