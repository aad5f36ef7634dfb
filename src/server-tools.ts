import type { AnyEntryToolServer, AnyToolServer } from './entries/tool-server.ts'
import { tools } from './tools/index.ts'

export const serverTools: readonly AnyToolServer[] = await Promise.all(
  tools.map(async (tool) => (await tool.server()).server),
)
export const isEntryTool = (tool: AnyToolServer): tool is AnyEntryToolServer => tool.contract.kind === 'entries'
export const entryTools = serverTools.filter(isEntryTool)
