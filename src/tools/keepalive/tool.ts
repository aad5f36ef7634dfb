import { defineTool } from '../../entries/define-tool.ts'
import { keepaliveNames } from './terms.ts'

export const keepaliveTool = defineTool(keepaliveNames, {
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
