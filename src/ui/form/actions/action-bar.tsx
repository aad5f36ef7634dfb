import { RotateCcw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { askToSignIn, lacksRole, useEditing } from '../../data/editing.ts'
import { useSessionUser } from '../../data/session.ts'
import type { Editor } from '../editor.ts'
import css from './action-bar.module.css'
import noteCss from './form-note.module.css'
import { SaveButton } from './save-button.tsx'

/** The buttons above a form; on phones they stay below the header. `children` are shown between Save and Reset. */
export function ActionBar(props: {
  label: string
  editor: Editor
  /** The label of the first button, if not Save. */
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

/** Says why unsaved changes can't be saved right now. */
function SaveNote() {
  const editing = useEditing()
  const user = useSessionUser()
  if (!editing.author || user === undefined) return null
  if (user && !lacksRole(editing, user)) return null
  return (
    <div className={css.whole} role="status">
      <FormNote>
        <p>
          {user
            ? "You can't save right now: your account no longer has the role this page needs. Ask an admin for access."
            : "You're signed out. Sign in to save your changes."}
        </p>
        {!user && (
          <Button size="small" onClick={askToSignIn}>
            Sign in
          </Button>
        )}
      </FormNote>
    </div>
  )
}

/** Says what prevents a save, in the form's bar of buttons or right below it. */
export const FormNote = ({ below, children }: { below?: boolean; children: ReactNode }) => (
  <div className={noteCss.note} data-below={below}>
    <TriangleAlert size={16} aria-hidden="true" />
    {children}
  </div>
)
