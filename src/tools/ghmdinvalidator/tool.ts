import { defineTool } from '../../entries/define-tool.ts'
import { ghmdinvalidatorNames } from './terms.ts'

export const ghmdinvalidatorTool = defineTool(ghmdinvalidatorNames, {
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
