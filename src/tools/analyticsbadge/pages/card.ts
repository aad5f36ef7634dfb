import { Eye } from 'lucide-react'
import type { OnePage } from '../../../entries/pages/tool-pages.ts'

export const pages: OnePage = {
  Icon: Eye,
  hint: 'Counts and shows views',
  blurb: 'An image that counts its views. Add it to a readme, no account needed.',
  counter: async () => (await import('./today.tsx')).Today,
  page: async () => (await import('./page.tsx')).BadgePage,
  own: { badges: async () => (await import('./owned.tsx')).OwnedPage },
}
