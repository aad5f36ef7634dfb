import { Toast } from '@base-ui/react/toast'
import { Check, Info, OctagonX, TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { stamp } from '../stamp.ts'
import { connectToaster, type Note, toastDuration } from '../toasts.ts'
import { IconButton } from './button.tsx'
import css from './toaster.module.css'

const icons = { danger: OctagonX, success: Check, warning: TriangleAlert, info: Info }
/** Base UI calls a toast a dialog; to whoever listens it is a group, and not a modal one. */
const asGroup = { role: 'group', 'aria-modal': undefined }
const manager = Toast.createToastManager<Note>()
const onScreen = new Set<string>()

function add(note: Note) {
  const key = `${note.kind} ${note.message} ${note.lines?.join() ?? ''}`
  if (onScreen.has(key)) return
  onScreen.add(key)
  manager.add({
    data: note,
    type: note.kind,
    title: note.issued ? 'Server Notification' : 'Notification',
    timeout: note.duration ?? toastDuration,
    priority: note.kind === 'danger' ? 'high' : 'low',
    onClose: () => onScreen.delete(key),
  })
}

function Shown({ toast }: { toast: Toast.Root.ToastObject<Note> }) {
  const note = toast.data
  if (!note) return null
  const Icon = icons[note.kind]
  return (
    <Toast.Root toast={toast} className={css.toast} data-kind={note.kind} swipeDirection="right" {...asGroup}>
      <Toast.Content className={css.content}>
        <span className={css.icon} aria-hidden="true">
          <Icon size={16} />
        </span>
        <div className={css.main}>
          <Toast.Title className={css.title} render={<strong />} />
          <Toast.Description render={<div />}>
            <p>{note.message}</p>
            {note.lines && note.lines.length > 0 && (
              <ul>
                {note.lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            )}
            {note.issued && (
              <p className={css.meta}>
                Issued at {stamp(note.issued.at)}
                <br />
                By {note.issued.by}
              </p>
            )}
          </Toast.Description>
        </div>
        <Toast.Close aria-hidden={false} render={<IconButton label="Close notification" />}>
          <X size={15} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  )
}

function List() {
  const { toasts } = Toast.useToastManager<Note>()
  return toasts.map((toast) => <Shown key={toast.id} toast={toast} />)
}

/** Where toasts appear, above everything else. */
export function Toaster() {
  useEffect(() => connectToaster(add), [])
  return (
    <Toast.Provider toastManager={manager} limit={6}>
      <Toast.Portal>
        <Toast.Viewport className={css.viewport}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}
