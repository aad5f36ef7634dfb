import { type DragEvent, useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ModalActions } from '../components/modal/modal.tsx'
import field from '../form/field.module.css'
import { Below } from '../form/field.tsx'
import css from './import.module.css'

const largest = 20 * 1_024 * 1_024
const types: Record<string, string> = { json: 'application/json', csv: 'text/csv' }

/** The file as it is sent: by its name, or as text, of which the server finds out what it is. */
const typed = (file: Blob, name = ''): Blob =>
  file.slice(0, file.size, types[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain')

/** Takes a file that is chosen or dropped, or text that is pasted. */
export function ImportForm(props: {
  busy: boolean
  /** Why the last file can't be imported. */
  problem: string | undefined
  /** The ends of the names of files, and an example of their text. */
  accept: string
  placeholder: string
  onFile: (file: Blob) => void
  onCancel: () => void
}) {
  const id = useId()
  const [chosen, setChosen] = useState<File>()
  const [text, setText] = useState('')
  const [tooLarge, setTooLarge] = useState(false)
  const [isOver, setOver] = useState(false)
  const choose = (file: File | undefined) => {
    if (!file) return
    setTooLarge(file.size > largest)
    setChosen(file)
    setText('')
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files[0])
  }
  const send = () => {
    if (text.trim() !== '') props.onFile(typed(new Blob([text])))
    else if (chosen) props.onFile(typed(chosen, chosen.name))
  }
  const error = tooLarge ? 'This file is larger than 20 MB.' : props.problem
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label
        className={css.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          className="sr"
          aria-label="File"
          accept={props.accept}
          onChange={(event) => choose(event.target.files?.[0])}
        />
        {chosen ? <b>{chosen.name}</b> : <b>Choose a file</b>}
        <span>or drop it here</span>
      </label>
      <div className={field.field}>
        <label htmlFor={id}>Or paste it</label>
        <textarea
          id={id}
          rows={4}
          className={`${field.input} ${field.area} ${field.code}`}
          placeholder={props.placeholder}
          value={text}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-about`}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(undefined)
            setTooLarge(false)
          }}
        />
        <Below id={`${id}-about`} error={error} hint="Nothing is changed before you have seen what would be." />
      </div>
      <ModalActions>
        <Button onClick={props.onCancel}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={props.busy || tooLarge || (!chosen && text.trim() === '')}>
          Preview
        </Button>
      </ModalActions>
    </form>
  )
}
