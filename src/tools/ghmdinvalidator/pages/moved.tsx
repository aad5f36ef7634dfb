import { Button } from '../../../ui/components/button.tsx'
import css from './check/preview.module.css'

/** Says where a page has moved to, and can put that URL into the form. */
export const Moved = ({ to, onMove }: { to: string; onMove: (url: string) => void }) => (
  <div className={css.moved}>
    <p>
      This page has moved to <code>{to}</code>
    </p>
    <Button size="small" onClick={() => onMove(to)}>
      Use new URL
    </Button>
  </div>
)
