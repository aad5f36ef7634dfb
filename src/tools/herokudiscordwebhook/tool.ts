import { toolWithEntries } from '../../entries/define-tool.ts'

export const herokudiscordwebhookTool = toolWithEntries({
  id: 'herokudiscordwebhook',
  label: 'Heroku Discord Webhook',
  noun: 'webhook relay entry',
  server: () => import('./server.ts' satisfies string),
  pages: () => import('./pages/card.ts' satisfies string),
})
