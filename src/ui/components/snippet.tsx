import { Copy } from 'lucide-react'
import { Button } from './button.tsx'
import { copy } from './copy.ts'
import css from './snippet.module.css'

type SnippetProps = { title: string; text: string; name?: string; onCopy?: () => void }

/** Code with a copy button. Its toast shows `name` in place of a secret text. */
export function Snippet({ title, text, name, onCopy }: SnippetProps) {
  return (
    <div className={css.snippet}>
      <div>
        <h3>{title}</h3>
        <Button
          size="small"
          aria-label={`Copy ${title}`}
          onClick={() => {
            onCopy?.()
            void copy(text, name)
          }}
        >
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
