import { ImageOff } from 'lucide-react'
import type { EntryPages } from '../../../entries/pages/tool-pages.ts'
import type { ghmdinvalidator } from '../contract.ts'
import { ghmdinvalidatorNames } from '../names.ts'

export const ghmdinvalidatorPages: EntryPages<typeof ghmdinvalidator> = {
  names: ghmdinvalidatorNames,
  Icon: ImageOff,
  hint: 'Fresh images in readmes',
  blurb: 'GitHub keeps old copies of the images in your readme. They are purged around the clock, and after a release.',
  nameOf: ({ url }) => url,
  screens: async () => (await import('./screens.tsx')).ghmdinvalidatorScreens,
}
