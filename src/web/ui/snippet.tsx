import { Copy } from 'lucide-react'
import { Button } from './button.tsx'
import { copy } from './copy.ts'
import css from './snippet.module.css'

/** A few lines to take along, with the button that does. */
export function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <div className={css.snippet}>
      <div>
        <h3>{title}</h3>
        <Button size="small" aria-label={`Copy ${title}`} onClick={() => void copy(text)}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  )
}
