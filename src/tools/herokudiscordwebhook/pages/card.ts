import { Webhook } from 'lucide-react'
import type { EntryPages } from '../../../entries/pages/tool-pages.ts'
import type { herokudiscordwebhook } from '../contract.ts'

export const pages: EntryPages<typeof herokudiscordwebhook> = {
  Icon: Webhook,
  hint: 'Deploys in your Discord channel',
  blurb: 'Posts Heroku deploys and crashes to a Discord channel, in order. Nothing is lost while Discord is down.',
  screens: async () => (await import('./screens.tsx')).screens,
}
