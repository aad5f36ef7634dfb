import { toolWithEntries } from '../../entries/define-tool.ts'

export const keepaliveTool = toolWithEntries({
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'keep-alive entry',
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
