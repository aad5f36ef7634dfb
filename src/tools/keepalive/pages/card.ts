import { Activity } from 'lucide-react'
import type { EntryPages } from '../../../entries/pages/tool-pages.ts'
import type { keepalive } from '../contract.ts'

export const pages: EntryPages<typeof keepalive> = {
  Icon: Activity,
  hint: 'Keeps free apps awake',
  blurb: 'Free hosts put an app to sleep after 30 idle minutes. A regular ping keeps yours awake.',
  soon: async () => (await import('./soon.tsx')).Soon,
  screens: async () => (await import('./screens.tsx')).screens,
}
