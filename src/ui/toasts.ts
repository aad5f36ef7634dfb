import { useSyncExternalStore } from 'react'

export type ToastKind = 'danger' | 'success' | 'warning' | 'info'
export type Note = {
  kind: ToastKind
  message: string
  lines?: readonly string[]
  /** Set on announcements: when (ms) and by whom they were issued. */
  issued?: { at: number; by: string }
  entry?: { tool: string; id: string }
  /** An action button, which also closes the toast. */
  act?: { label: string; run: () => void }
  /** Replaces the toast on screen with the same key. Without a key, kind and message identify a toast. */
  key?: string
  /** Only replaces a toast on screen; if there is none, nothing is shown. */
  replaces?: boolean
  /** Milliseconds until it closes automatically; 0 means never. */
  duration?: number
}

export const toastDuration = 10_000

type Toaster = {
  show: (note: Note) => void
  amend: (message: string, lines: readonly string[]) => void
  withdraw: (isOver: (note: Note) => boolean) => void
}
let queue: Note[] = []
let toaster: Toaster | undefined
let tellShell = () => {}

/** Shows a toast, or updates the lines of the one on screen with the same message and kind. */
export function notify(note: Note) {
  if (toaster) return toaster.show(note)
  queue.push(note)
  tellShell()
}

/** Whether a toast is waiting for the toaster. Supports one caller: the shell, which loads the toaster. */
export const useToastWaiting = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      tellShell = tell
      return () => {
        tellShell = () => {}
      }
    },
    () => queue.length > 0,
  )

/** Replaces the lines of all toasts with this message. */
export function updateToasts(message: string, lines: readonly string[]) {
  queue = queue.map((note) => (note.message === message ? { ...note, lines } : note))
  toaster?.amend(message, lines)
}

export function closeToasts(isOver: (note: Note) => boolean) {
  queue = queue.filter((note) => !isOver(note))
  toaster?.withdraw(isOver)
}

/** Called by the toaster once it is mounted. Returns a function that disconnects it. */
export function connectToaster(to: Toaster) {
  toaster = to
  for (const note of queue) to.show(note)
  queue = []
  return () => {
    toaster = undefined
  }
}

export const notifySuccess = (message: string) => notify({ kind: 'success', message })
export const notifyWarning = (message: string, lines: readonly string[] = []) =>
  notify({ kind: 'warning', message, lines })
export const notifyInfo = (message: string) => notify({ kind: 'info', message })
export const notifyError = (message: string) => notify({ kind: 'danger', message })
