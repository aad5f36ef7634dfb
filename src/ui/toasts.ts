export type ToastKind = 'danger' | 'success' | 'warning' | 'info'
export type Note = {
  kind: ToastKind
  message: string
  /** Lines below the message. */
  lines?: readonly string[]
  /** Present on what the server announces: when (ms) and by whom. */
  issued?: { at: number; by: string }
  /** Milliseconds until it goes by itself; 0 stays. */
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

/** Shows a toast; one that is on screen with the same message and kind takes over its lines instead. */
export function notify(note: Note) {
  if (toaster) toaster.show(note)
  else waiting.push(note)
}

/** Puts other lines into the toasts with this message, where there are any. */
export function amend(message: string, lines: readonly string[]) {
  waiting = waiting.map((note) => (note.message === message ? { ...note, lines } : note))
  toaster?.amend(message, lines)
}

/** Takes back what is not true any more. */
export function withdraw(isOver: (note: Note) => boolean) {
  waiting = waiting.filter((note) => !isOver(note))
  toaster?.withdraw(isOver)
}

/** Called by the toaster once it is on the page; returns how to leave. */
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
