import { Copy, ExternalLink } from 'lucide-react'
import { Button, buttonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import css from './status.module.css'

/** The page as it is public now. */
export const Links = ({ url }: { url: string }) => (
  <div className={css.links}>
    <a className={buttonClass({ size: 'small' })} href={new URL(url).pathname} target="_blank" rel="noreferrer">
      <ExternalLink size={14} aria-hidden="true" />
      Open page
    </a>
    <Button size="small" onClick={() => void copy(url)}>
      <Copy size={14} aria-hidden="true" />
      Copy address
    </Button>
    <Button size="small" onClick={() => void copy(`${url}/feed.xml`)}>
      <Copy size={14} aria-hidden="true" />
      Copy feed
    </Button>
  </div>
)
