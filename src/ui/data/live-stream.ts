import { type Query, useIsMutating } from '@tanstack/react-query'
import { type AnyRouter, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { type Note, notify, type ToastKind } from '../toasts.ts'
import { statusOf } from './api.ts'
import { type Changes, changeTopicsOf, gatherChanges, wasRefused } from './changes.ts'
import { setStream } from './live.ts'
import { queryClient } from './query.ts'
import { beforeSignOut, sessionQuery, signingOut } from './session.ts'

type Announcement = {
  id: string
  type: ToastKind
  message: string
  issuedAt: number
  author: string
  item?: string
  entry?: NonNullable<Note['entry']>
  grows?: boolean
}

const refetchOptions = { cancelRefetch: false }
/** How far back the server can replay events. */
const replayWindow: Milliseconds = seconds(10)
/** Delay between two attempts to load the session or to open a refused stream. */
const retryDelay: Milliseconds = seconds(10)
const maxOpenDelay: Milliseconds = seconds(3)

/** Calls `act` once for all calls within this many milliseconds. */
function coalesce(milliseconds: number, act: () => Promise<void>) {
  let isWaiting = false
  let acting = 0
  return {
    isBusy: () => isWaiting || acting > 0,
    call() {
      if (isWaiting) return
      isWaiting = true
      setTimeout(async () => {
        isWaiting = false
        acting += 1
        await act().finally(() => (acting -= 1))
      }, milliseconds)
    },
  }
}

function announce(event: MessageEvent<string>) {
  const { id, type, message, issuedAt, author, item, entry, grows = false }: Announcement = JSON.parse(event.data)
  const durationOption = type === 'danger' ? { duration: 0 } : {}
  notify({
    ...{ kind: type, message, issued: { at: issuedAt, by: author }, ...durationOption },
    // Messages about one item within seconds share a toast.
    ...(item && { key: id, replaces: grows }),
    ...(entry && { entry }),
  })
  void queryClient.invalidateQueries({ queryKey: ['GET /api/v1/admin/notifications'] })
}

const haveRolesChanged = (roles: string) =>
  JSON.stringify(queryClient.getQueryData(sessionQuery.queryKey)?.roles) !== roles

/** Whether the response could differ under another session. */
const isWorthAsking = (query: Query) =>
  query.queryKey[0] !== sessionQuery.queryKey[0] &&
  (!wasRefused(query) || [401, 403].includes(statusOf(query.state.error) ?? 0))

/** Reloads the session, then the rest, and leaves a forbidden screen. Returns false if the session fails to load. */
async function reloadAll(router: AnyRouter): Promise<boolean> {
  const { queryKey } = sessionQuery
  await queryClient.refetchQueries({ queryKey })
  if (queryClient.getQueryState(queryKey)?.status === 'error') return false
  await router.invalidate()
  // Without a session, the server would refuse everything else.
  if (queryClient.getQueryData(queryKey)) void queryClient.invalidateQueries({ predicate: isWorthAsking })
  return true
}

/** Whether this screen is visible: not in a background tab or in the browser's back/forward cache. */
const useIsVisible = () =>
  useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener)
      return () => document.removeEventListener('visibilitychange', listener)
    },
    () => document.visibilityState === 'visible',
  )

/** Keeps a visible screen up to date. Hidden ones have no stream: each takes one of the browser's six connections. */
export function LiveStream() {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  const isShown = useIsVisible()
  const isLeaving = useIsMutating({ mutationKey: signingOut }) > 0
  const wasAway = useRef(false)
  useEffect(() => {
    if (!isShown || isLeaving) {
      wasAway.current = true
      return
    }
    const began = performance.now()
    // All data was requested after the page began to load, so older events don't matter.
    const within = Math.ceil(began + maxOpenDelay)
    const replaysAll = within <= replayWindow
    const source = new EventSource(`/api/v1/events${replaysAll ? `?within=${within}` : ''}`)
    const unregister = beforeSignOut(() => source.close())
    const reloadLive = () =>
      void queryClient.invalidateQueries({ predicate: (query) => changeTopicsOf(query) !== undefined }, refetchOptions)
    let missed = attempt > 0 || wasAway.current
    let retry: ReturnType<typeof setTimeout> | undefined
    const tryAgain = (act: () => void) => {
      clearTimeout(retry)
      retry = setTimeout(act, retryDelay)
    }
    const reload = coalesce(50, async () => {
      const isKnown = await reloadAll(router)
      if (source.readyState !== EventSource.OPEN) return
      clearTimeout(retry)
      if (isKnown) return
      // The data on screen may be outdated by now.
      reloadLive()
      tryAgain(reload.call)
    })
    source.addEventListener('open', () => {
      setStream('up')
      wasAway.current = false
      // Changes may have been missed while disconnected, or since the responses that preceded the first stream.
      if (missed) reload.call()
      else if (!replaysAll || performance.now() > began + maxOpenDelay) reloadLive()
      missed = false
    })
    source.addEventListener('missed', () => reload.isBusy() || reloadLive())
    source.addEventListener('error', () => {
      setStream('lost')
      missed = true
      if (source.readyState !== EventSource.CLOSED) return
      // Refused: the session has ended, or the server isn't ready. The browser doesn't retry automatically.
      reload.call()
      tryAgain(() => setAttempt(attempt + 1))
    })
    const changes = gatherChanges(queryClient)
    // A reload ends by refetching everything.
    const change = (topic: string, what: Changes) => void (reload.isBusy() || changes.add(topic, what))
    const changeRow = ({ data }: MessageEvent<string>) => {
      const { tool, id, act }: { tool: string; id: string; act?: string } = JSON.parse(data)
      change(tool, { ids: [id], edited: act !== undefined })
    }
    source.addEventListener('run', changeRow)
    source.addEventListener('entry', changeRow)
    source.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      const byTool: Record<string, Pick<Changes, 'edited'>> = JSON.parse(data)
      for (const [tool, { edited }] of Object.entries(byTool)) change(tool, { ids: undefined, edited })
    })
    const changeAll = (topic: string) => change(topic, { ids: undefined, edited: true })
    source.addEventListener('notification', (event) => {
      announce(event)
      changeAll('inbox')
    })
    for (const topic of ['inbox', 'channel', 'status']) source.addEventListener(topic, () => changeAll(topic))
    source.addEventListener('access', reload.call)
    source.addEventListener('roles', ({ data }) => haveRolesChanged(data) && reload.call())
    return () => {
      clearTimeout(retry)
      unregister()
      changes.stop()
      source.close()
      setStream('off')
    }
  }, [router, attempt, isShown, isLeaving])
  return null
}
