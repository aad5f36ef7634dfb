import { Search } from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Card } from '../components/page.tsx'
import { TextField } from './field.tsx'
import css from './find-form.module.css'

export function FindForm(props: {
  label: string
  wanted: string
  error: string | undefined
  onFind: (wanted: string) => void
}) {
  const [text, setText] = useState(props.wanted)
  return (
    <Card className={css.narrow}>
      <Form className={css.find} onSend={() => props.onFind(text.trim())}>
        <TextField
          label={props.label}
          value={text}
          onChange={setText}
          error={text.trim() === props.wanted ? props.error : undefined}
          required
          code
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit" className={buttonClass({ tone: 'primary' })}>
          <Search size={15} aria-hidden="true" />
          Search
        </button>
      </Form>
    </Card>
  )
}
