import { Search } from 'lucide-react'
import { useState } from 'react'
import { TextField } from '../../web/form/field.tsx'
import { buttonClass } from '../../web/ui/button.tsx'
import { Card } from '../../web/ui/page.tsx'
import css from './pages.module.css'

/** Asks which entry is meant. */
export function FindForm({ id, onFind }: { id: string; onFind: (id: string) => void }) {
  const [text, setText] = useState(id)
  return (
    <Card className={css.narrow}>
      <form
        className={css.find}
        onSubmit={(event) => {
          event.preventDefault()
          onFind(text.trim())
        }}
      >
        <TextField
          label="Enter your ID"
          value={text}
          onText={setText}
          required
          code
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit" className={buttonClass({ tone: 'primary' })}>
          <Search size={15} aria-hidden="true" />
          Search
        </button>
      </form>
    </Card>
  )
}
