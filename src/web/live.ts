import { type AnyRouter, useRouter } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { minutes } from '../shared/time.ts'
import { queryClient } from './query.ts'
import { sessionQuery } from './session.ts'
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
  // What is dangerous waits for whoever looks away.
  const stays = type === 'danger' ? { duration: 0 } : {}
  notify({ kind: type, message, issued: { at: issuedAt, by: author }, ...stays })
  void queryClient.invalidateQueries({ queryKey: ['announcements'] })
}

/** Asks anew who is signed in; whoever may not be on this screen any more is sent away as at the way in. */
async function lookAgain(router: AnyRouter) {
  await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
  if (queryClient.getQueryState(sessionQuery.queryKey)?.status === 'error') return
  await router.invalidate()
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
}

/** Keeps this screen up to date by server-sent events while somebody is signed in. */
export function useLive(userId: string | undefined) {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!userId) return
    const stream = new EventSource('/api/v1/events')
    const refresh = gather(250, () => void queryClient.invalidateQueries({ queryKey: ['entries'] }))
    const access = gather(50, () => void lookAgain(router))
    let missed = attempt > 0
    let retry: ReturnType<typeof setTimeout> | undefined
    stream.addEventListener('open', () => {
      setUp(true)
      if (missed) refresh()
      missed = false
    })
    stream.addEventListener('error', () => {
      setUp(false)
      missed = true
      if (stream.readyState !== EventSource.CLOSED) return
      // A refusal: the session has ended, or the server is not quite there. The browser itself tries no more.
      access()
      retry = setTimeout(() => setAttempt(attempt + 1), minutes(1))
    })
    stream.addEventListener('run', refresh)
    stream.addEventListener('entry', refresh)
    stream.addEventListener('notification', announce)
    stream.addEventListener('access', access)
    return () => {
      clearTimeout(retry)
      stream.close()
      setUp(false)
    }
  }, [userId, router, attempt])
}
