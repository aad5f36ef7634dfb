import { ImageOff } from 'lucide-react'
import type { EntryPages } from '../../../entries/pages/tool-pages.ts'
import type { ghmdinvalidator } from '../contract.ts'

export const pages: EntryPages<typeof ghmdinvalidator> = {
  Icon: ImageOff,
  hint: 'Fresh images in readmes',
  blurb: 'GitHub caches the images in your readme. Purge the cache on a schedule and after each release.',
  screens: async () => (await import('./screens.tsx')).screens,
  ownScreens: { check: async () => (await import('./check.tsx')).CheckPage },
}
