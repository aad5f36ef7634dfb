import { Eye } from 'lucide-react'
import type { OnePage } from '../../../entries/pages/tool-pages.ts'
import { analyticsbadgeNames } from '../names.ts'

export const analyticsbadgePages: OnePage<typeof analyticsbadgeNames> = {
  names: analyticsbadgeNames,
  Icon: Eye,
  hint: 'Counts and shows views',
  blurb: 'An image that counts its views. Add it to a readme, no account needed.',
  counter: async () => (await import('./today.tsx')).Today,
  page: async () => (await import('./badge.tsx')).BadgePage,
}
