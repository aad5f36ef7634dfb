import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import type { Editor } from '../editor.ts'
import css from './action-bar.module.css'
import { SaveButton } from './save-button.tsx'
import { SaveNote } from './save-note.tsx'

/** The buttons above a form; on phones they stay under the header. `children` stand between Save and Reset. */
export function ActionBar(props: {
  label: string
  editor: Editor
  /** What its first button is called, where that is not Save. */
  verb?: string
  onReset?: () => void
  children?: ReactNode
}) {
  const { missing, busy, save, changed } = props.editor
  return (
    <div className={css.actions} role="toolbar" aria-label={props.label}>
      <SaveButton missing={missing} busy={busy} onSave={save}>
        {props.verb ?? 'Save'}
      </SaveButton>
      {props.children}
      {props.onReset && (
        <Button onClick={props.onReset}>
          <RotateCcw size={15} aria-hidden="true" />
          Reset
        </Button>
      )}
      <span className={css.changed} role="status">
        {changed && 'Unsaved changes'}
      </span>
      <SaveNote />
    </div>
  )
}
