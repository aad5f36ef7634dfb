import { type AnyRouter, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { seconds } from '../../shared/time.ts'
import { hasUnsaved } from '../navigation/editing.ts'
import { notify, type ToastKind } from '../toasts.ts'
import { queryClient } from './query.ts'
import { isSigningOut, sessionQuery } from './session.ts'

type Announcement = { type: ToastKind; message: string; issuedAt: number; author: string }

const listeners = new Set<() => void>()
/** Whether the live stream is not asked for, there, or broken off. */
let stream: 'off' | 'up' | 'lost' = 'off'
function setStream(next: typeof stream) {
  if (stream === next) return
  stream = next
  for (const listener of listeners) listener()
}
const useStream = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => stream,
  )

/** Milliseconds between two looks at what changes by itself; none while the live stream tells of it. */
export const useRefreshEvery = (): number | false => (useStream() === 'up' ? false : 5_000)

/** Whether this screen hears nothing of the server at the moment. */
export const useConnectionLost = (): boolean => useStream() === 'lost'

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

/** Whether somebody has these roles, as JSON, whom this screen knows with others. */
const isNews = (roles: string) => JSON.stringify(queryClient.getQueryData(sessionQuery.queryKey)?.roles) !== roles

/** Reloads the session; users who may no longer see this screen are sent away as its guard would. */
async function lookAgain(router: AnyRouter) {
  const wasHere = !isSigningOut() && queryClient.getQueryData(sessionQuery.queryKey)
  await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
  if (queryClient.getQueryState(sessionQuery.queryKey)?.status === 'error') return
  const isHere = queryClient.getQueryData(sessionQuery.queryKey)
  if (wasHere && !isHere && !hasUnsaved())
    notify({ kind: 'info', message: 'Your session has ended. Sign in to continue.', duration: 0 })
  await router.invalidate()
  // Whoever left may ask for nothing more.
  if (!isHere) return
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
}

/** Whether somebody may see this screen: a tab in the back, and a page kept for the way back, are hidden. */
const useShown = () =>
  useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener)
      return () => document.removeEventListener('visibilitychange', listener)
    },
    () => document.visibilityState === 'visible',
  )

/**
 * Keeps this screen up to date by server-sent events while somebody is signed in and may see it. A browser has six
 * connections to a server, and each stream holds one: hidden screens have none.
 */
export function useLive(userId: string | undefined) {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  const isShown = useShown()
  const wasAway = useRef(false)
  useEffect(() => {
    if (!isShown) wasAway.current = true
    if (!userId || !isShown) return
    const source = new EventSource('/api/v1/events')
    const refresh = gather(250, () => void queryClient.invalidateQueries({ queryKey: ['entries'] }))
    const access = gather(50, () => void lookAgain(router))
    let missed = attempt > 0 || wasAway.current
    let retry: ReturnType<typeof setTimeout> | undefined
    source.addEventListener('open', () => {
      setStream('up')
      wasAway.current = false
      // Nobody knows what happened meanwhile.
      if (missed) access()
      missed = false
    })
    source.addEventListener('error', () => {
      setStream('lost')
      missed = true
      if (source.readyState !== EventSource.CLOSED) return
      // A refusal: the session has ended, or the server is not quite there. The browser itself tries no more.
      access()
      retry = setTimeout(() => setAttempt(attempt + 1), seconds(10))
    })
    source.addEventListener('run', refresh)
    source.addEventListener('entry', refresh)
    source.addEventListener('notification', announce)
    source.addEventListener('access', access)
    source.addEventListener('roles', ({ data }) => isNews(data) && access())
    return () => {
      clearTimeout(retry)
      source.close()
      setStream('off')
    }
  }, [userId, router, attempt, isShown])
}
