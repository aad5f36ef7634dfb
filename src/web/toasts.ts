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

let waiting: Note[] = []
let show: ((note: Note) => void) | undefined

/** Shows a toast; one that is on screen with the same message and kind is not shown twice. */
export function notify(note: Note) {
  if (show) show(note)
  else waiting.push(note)
}

/** Called by the toaster once it is on the page; returns how to leave. */
export function connectToaster(to: (note: Note) => void) {
  show = to
  for (const note of waiting) to(note)
  waiting = []
  return () => {
    show = undefined
  }
}

export const succeed = (message: string) => notify({ kind: 'success', message })
export const warn = (message: string, lines: readonly string[] = []) => notify({ kind: 'warning', message, lines })
export const inform = (message: string) => notify({ kind: 'info', message })
export const complain = (message: string) => notify({ kind: 'danger', message })
