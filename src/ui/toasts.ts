import { useSyncExternalStore } from 'react'

export type ToastKind = 'danger' | 'success' | 'warning' | 'info'
export type Note = {
  kind: ToastKind
  message: string
  lines?: readonly string[]
  /** Set on announcements: when (ms) and by whom. */
  issued?: { at: number; by: string }
  entry?: { tool: string; id: string }
  /** What can be done about it, which closes it. */
  act?: { label: string; run: () => void }
  /** Replaces the toast on screen with the same key; those without one are told apart by kind and message. */
  key?: string
  /** Only replaces, and is not shown if there is nothing to replace. */
  replaces?: boolean
  /** Milliseconds until it closes by itself; 0 means never. */
  duration?: number
}

export const toastDuration = 10_000

type Toaster = {
  show: (note: Note) => void
  amend: (message: string, lines: readonly string[]) => void
  withdraw: (isOver: (note: Note) => boolean) => void
}
let waiting: Note[] = []
let toaster: Toaster | undefined
let tellShell = () => {}

/** Shows a toast, or puts its lines into one on screen with the same message and kind. */
export function notify(note: Note) {
  if (toaster) return toaster.show(note)
  waiting.push(note)
  tellShell()
}

/** Whether a toast waits for the toaster; for the one shell that loads it. */
export const useToastWaiting = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      tellShell = tell
      return () => {
        tellShell = () => {}
      }
    },
    () => waiting.length > 0,
  )

/** Replaces the lines of toasts with this message, if there are any. */
export function amend(message: string, lines: readonly string[]) {
  waiting = waiting.map((note) => (note.message === message ? { ...note, lines } : note))
  toaster?.amend(message, lines)
}

/** Closes toasts that are no longer true. */
export function withdraw(isOver: (note: Note) => boolean) {
  waiting = waiting.filter((note) => !isOver(note))
  toaster?.withdraw(isOver)
}

/** Called by the toaster once it is on the page; returns a function that disconnects it. */
export function connectToaster(to: Toaster) {
  toaster = to
  for (const note of waiting) to.show(note)
  waiting = []
  return () => {
    toaster = undefined
  }
}

export const succeed = (message: string) => notify({ kind: 'success', message })
export const warn = (message: string, lines: readonly string[] = []) => notify({ kind: 'warning', message, lines })
export const inform = (message: string) => notify({ kind: 'info', message })
export const complain = (message: string) => notify({ kind: 'danger', message })
