import { analyticsbadgeTool } from './analyticsbadge/tool.ts'
import { ghmdinvalidatorTool } from './ghmdinvalidator/tool.ts'
import { herokudiscordwebhookTool } from './herokudiscordwebhook/tool.ts'
import { keepaliveTool } from './keepalive/tool.ts'

/** All tools, in menu order. Register a new tool here. */
export const tools = [analyticsbadgeTool, keepaliveTool, herokudiscordwebhookTool, ghmdinvalidatorTool]
