import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Reach, reachOf } from '../../shared/urls/reach.ts'
import css from './warning.module.css'

export const Warning = ({ children }: { children: ReactNode }) => (
  <p className={css.warning}>
    <TriangleAlert size={16} aria-hidden="true" />
    <span>{children}</span>
  </p>
)

const who: Record<Exclude<Reach, 'everywhere'>, string> = {
  computer: 'Only this computer',
  network: 'Only your own network',
}

/** Warns next to a ToolBox address if `others`, who need it, can't reach it, and says what to do. */
export function ReachNote({ url, others }: { url: string; others: string }) {
  const reach = reachOf(url)
  if (reach === 'everywhere') return null
  return (
    <Warning>
      {who[reach]} can reach this address; {others} can't. Set <code>BASE_URL</code> to the public address of this
      server and restart ToolBox, or ask an admin to.
    </Warning>
  )
}
