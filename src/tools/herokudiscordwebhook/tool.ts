import { defineTool } from '../../entries/define-tool.ts'
import { herokudiscordwebhookNames } from './terms.ts'

export const herokudiscordwebhookTool = defineTool(herokudiscordwebhookNames, {
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
