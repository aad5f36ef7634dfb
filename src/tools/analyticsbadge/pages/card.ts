import { Eye } from 'lucide-react'
import type { OnePage } from '../../../entries/pages/tool-pages.ts'
import { analyticsbadgeNames } from '../names.ts'

export const analyticsbadgePages: OnePage<typeof analyticsbadgeNames> = {
  names: analyticsbadgeNames,
  Icon: Eye,
  hint: 'Counts views, shows the number',
  blurb: 'A picture with a number that grows with every view. Put it into a readme, no account needed.',
  counter: async () => (await import('./today.tsx')).Today,
  page: async () => (await import('./badge.tsx')).BadgePage,
}
