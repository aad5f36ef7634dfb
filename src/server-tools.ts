import type { AnyEntryTool, AnyTool } from './entries/tool.ts'
import { tools } from './tools/index.ts'

/** The server's half of every tool. */
export const serverTools: readonly AnyTool[] = await Promise.all(
  tools.map(async (tool) => (await tool.server()).server),
)
export const isEntryTool = (tool: AnyTool): tool is AnyEntryTool => tool.contract.kind === 'entries'
export const entryTools = serverTools.filter(isEntryTool)
