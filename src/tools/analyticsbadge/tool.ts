import { toolOfOnePage } from '../../entries/define-tool.ts'

export const analyticsbadgeTool = toolOfOnePage({
  id: 'analyticsbadge',
  label: 'Analytics Badge',
  own: { badges: 'Your Badges' },
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
