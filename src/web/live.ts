import { useEffect, useSyncExternalStore } from 'react'
import { queryClient } from './query.ts'
import { notify, type ToastKind } from './toasts.ts'

type Announcement = { type: ToastKind; message: string; issuedAt: number; author: string }

const listeners = new Set<() => void>()
let up = false
function setUp(next: boolean) {
  if (up === next) return
  up = next
  for (const listener of listeners) listener()
}

/** Milliseconds between two looks at what changes by itself: seldom while the live stream is up, else often. */
export const useRefreshEvery = (): number | false => {
  const live = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => up,
  )
  return live ? false : 5_000
}

/** Many runs at once cost one look. */
function gather(milliseconds: number, act: () => void) {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    setTimeout(() => {
      waiting = false
      act()
    }, milliseconds)
  }
}

function announce(event: MessageEvent<string>) {
  const { type, message, issuedAt, author }: Announcement = JSON.parse(event.data)
  notify({ kind: type, message, issued: { at: issuedAt, by: author } })
}

/** Keeps this screen up to date by server-sent events while somebody is signed in. */
export function useLive(userId: string | undefined) {
  useEffect(() => {
    if (!userId) return
    const stream = new EventSource('/api/v1/events')
    const refresh = gather(250, () => void queryClient.invalidateQueries({ queryKey: ['entries'] }))
    let missed = false
    stream.addEventListener('open', () => {
      setUp(true)
      if (missed) refresh()
      missed = false
    })
    stream.addEventListener('error', () => {
      setUp(false)
      missed = true
    })
    stream.addEventListener('run', refresh)
    stream.addEventListener('entry', refresh)
    stream.addEventListener('notification', announce)
    return () => {
      stream.close()
      setUp(false)
    }
  }, [userId])
}
