import { Toast } from '@base-ui/react/toast'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { connectToaster, type Note, toastDuration } from '../toasts.ts'
import { IconButton, linkClass } from './button.tsx'
import surface from './surface.module.css'
import face from './toast-note.module.css'
import { NoteBody, NoteIcon, titleOf } from './toast-note.tsx'
import css from './toaster.module.css'

/** Base UI gives toasts the dialog role; screen readers should see a group, or an alert if something failed. */
const ariaProps = (kind: Note['kind']) => ({ role: kind === 'danger' ? 'alert' : 'group', 'aria-modal': undefined })
const manager = Toast.createToastManager<Note>()
/** The toasts on screen, with the ids that close them. */
const onScreen = new Map<string, { id: string; note: Note }>()
const keyOf = (note: Note) => note.key ?? `${note.kind} ${note.message}`

function show(note: Note) {
  const key = keyOf(note)
  const same = onScreen.get(key)
  if (same) return replace(same, note)
  if (note.replaces) return
  const id = manager.add({
    data: note,
    type: note.kind,
    title: titleOf(note),
    timeout: note.duration ?? toastDuration,
    // A high priority would hide the toast from screen readers, although its button can still be focused.
    priority: 'low',
    onClose: () => onScreen.delete(key),
  })
  onScreen.set(key, { id, note })
}

function replace(toast: { id: string; note: Note }, note: Note) {
  toast.note = note
  const isNew = note.act || !note.key
  manager.update(toast.id, { data: note, ...(isNew && { timeout: note.duration ?? toastDuration }) })
}

function setLines(toast: { id: string; note: Note }, lines: Note['lines'] = []) {
  if (toast.note.lines?.join('\n') === lines.join('\n')) return
  toast.note = { ...toast.note, lines }
  manager.update(toast.id, { data: toast.note })
}

function amend(message: string, lines: readonly string[]) {
  for (const toast of onScreen.values()) if (toast.note.message === message) setLines(toast, lines)
}

function withdraw(isOver: (note: Note) => boolean) {
  for (const { id, note } of [...onScreen.values()]) if (isOver(note)) manager.close(id)
}

function Shown({ toast }: { toast: Toast.Root.ToastObject<Note> }) {
  const note = toast.data
  if (!note) return null
  return (
    <Toast.Root
      toast={toast}
      className={`${surface.raised} ${css.toast}`}
      data-kind={note.kind}
      swipeDirection="right"
      {...ariaProps(note.kind)}
    >
      <Toast.Content className={face.content}>
        <NoteIcon kind={note.kind} />
        <div className={face.main}>
          <Toast.Title className={face.title} render={<strong />} />
          <Toast.Description render={<div />}>
            <NoteBody note={note} />
          </Toast.Description>
          {note.act && <ActButton act={note.act} onAct={() => manager.close(toast.id)} />}
          {note.entry && <OpenEntry entry={note.entry} onOpen={() => manager.close(toast.id)} />}
        </div>
        <Toast.Close aria-hidden={false} render={<IconButton label="Close notification" />}>
          <X size={15} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  )
}

function ActButton({ act, onAct }: { act: NonNullable<Note['act']>; onAct: () => void }) {
  const press = () => {
    onAct()
    act.run()
  }
  return (
    <button type="button" className={`${linkClass} ${css.open}`} onClick={press}>
      {act.label}
    </button>
  )
}

function OpenEntry({ entry: { tool, id }, onOpen }: { entry: NonNullable<Note['entry']>; onOpen: () => void }) {
  return (
    <Link to={`/tools/${tool}/modify`} search={{ id }} className={`${linkClass} ${css.open}`} onClick={onOpen}>
      Open
    </Link>
  )
}

function List() {
  const { toasts } = Toast.useToastManager<Note>()
  return toasts.map((toast) => <Shown key={toast.id} toast={toast} />)
}

export function Toaster() {
  useEffect(() => connectToaster({ show, amend, withdraw }), [])
  return (
    <Toast.Provider toastManager={manager} limit={6}>
      <Toast.Portal container={document.getElementById('toasts')}>
        <Toast.Viewport className={css.viewport}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}
