import { defineTool } from '../../entries/define-tool.ts'
import { analyticsbadgeNames } from './terms.ts'

export const analyticsbadgeTool = defineTool(analyticsbadgeNames, {
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
