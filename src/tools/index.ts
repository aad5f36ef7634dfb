import { analyticsbadgeTool } from './analyticsbadge/tool.ts'
import { ghmdinvalidatorTool } from './ghmdinvalidator/tool.ts'
import { herokudiscordwebhookTool } from './herokudiscordwebhook/tool.ts'
import { keepaliveTool } from './keepalive/tool.ts'

/** Every tool, as menus list them: the place to register another one. */
export const tools = [analyticsbadgeTool, keepaliveTool, herokudiscordwebhookTool, ghmdinvalidatorTool]
