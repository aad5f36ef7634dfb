import { RotateCcw, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import noteCss from '../../components/warning.module.css'
import { askToSignIn, lacksRole, useEditing } from '../../data/editing.ts'
import { useSessionUser } from '../../data/session.ts'
import type { Editor } from '../editor.ts'
import css from './action-bar.module.css'
import { SaveButton } from './save-button.tsx'

/** With unsaved changes, the buttons stick to the bottom of the window while their place is scrolled out of view. */
export function ActionBar(props: {
  label: string
  title?: string
  editor: Editor
  /** The label of the first button, if not Save. */
  verb?: string
  onReset?: () => void
  children?: ReactNode
}) {
  const { missing, busy, save, changed } = props.editor
  const { place, isInSight } = useInSight()
  const isAtFoot = changed && !isInSight
  return (
    <div ref={place} className={css.place}>
      {props.title !== undefined && <h2>{props.title}</h2>}
      <div className={css.actions} role="toolbar" aria-label={props.label} data-foot={isAtFoot || undefined}>
        <SaveButton missing={missing} busy={busy} isQuiet={!changed && props.editor.isSaved} onSave={save}>
          {props.verb ?? 'Save'}
        </SaveButton>
        {props.children}
        {props.onReset && (
          // Not `disabled`, which would take the focus.
          <Button aria-disabled={busy} onClick={() => busy || props.onReset?.()}>
            <RotateCcw size={15} aria-hidden="true" />
            Reset
          </Button>
        )}
        <span className={css.changed} role="status">
          {changed && 'Unsaved changes'}
        </span>
        <SaveNote />
      </div>
    </div>
  )
}

/** Whether the buttons' original place is in view, below the header. */
function useInSight() {
  const place = useRef<HTMLDivElement>(null)
  const [isInSight, setInSight] = useState(true)
  useEffect(() => {
    const updateInSight = (seen: IntersectionObserverEntry[]) => setInSight(seen.at(-1)?.isIntersecting ?? true)
    const observer = new IntersectionObserver(updateInSight, { rootMargin: '-80px 0px 0px' })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { place, isInSight }
}

/** Explains why unsaved changes can't be saved right now. */
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

/** Explains what prevents a save, in the form's button bar or right below it. */
export const FormNote = ({ below, children }: { below?: boolean; children: ReactNode }) => (
  <div className={noteCss.note} data-below={below}>
    <TriangleAlert size={16} aria-hidden="true" />
    {children}
  </div>
)
