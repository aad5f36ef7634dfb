import { toolWithEntries } from '../../entries/define-tool.ts'

export const ghmdinvalidatorTool = toolWithEntries({
  id: 'ghmdinvalidator',
  label: 'GitHub Media Invalidator',
  noun: 'cache invalidator entry',
  screens: { check: 'Why is my image old?' },
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
