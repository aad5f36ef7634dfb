import { type FormEvent, useState } from 'react'
import { buttonClass } from '../../../../ui/components/button.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import css from './deliveries.module.css'
import { useReplay } from './delivery-calls.ts'
import { type Newest, sinceLabel } from './delivery-words.ts'

/** Replays everything delivered or held since a time, in the user's time zone. */
export function ReplaySince({ id, newest }: { id: string; newest: Newest }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const replay = useReplay(id)
  const since = Date.parse(text)
  const isGiven = Number.isFinite(since)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isGiven) setError('Enter a date and time.')
    else if (!replay.isPending) replay.mutate({ since })
  }
  return (
    <details className={css.since}>
      <summary>Replay from…</summary>
      <form noValidate onSubmit={send}>
        <TextField
          label="From"
          type="datetime-local"
          step={1}
          value={text}
          error={error}
          hint="Resends everything delivered or held since then, in order."
          onText={(next) => {
            setText(next)
            setError(undefined)
          }}
        />
        <button type="submit" className={buttonClass()} aria-disabled={replay.isPending}>
          {isGiven ? sinceLabel(newest, since) : 'Replay'}
        </button>
      </form>
    </details>
  )
}
