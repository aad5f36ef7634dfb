import { Button } from '../../components/button.tsx'
import { useSessionUser } from '../../data/session.ts'
import { askToSignIn, lacksRole, useEditing } from '../../navigation/editing.ts'
import css from './action-bar.module.css'
import { FormNote } from './form-note.tsx'

/** Why unsaved changes cannot be saved at the moment. */
export function SaveNote() {
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
