import { onlineManager } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import { type ComponentType, createElement, useEffect } from 'react'
import { readStorage, writeStorage } from '../browser-storage.ts'
import { isUnreachable, reason, statusOf } from '../data/api.ts'
import { fetchSession } from '../data/session.ts'
import { notifyError } from '../toasts.ts'
import type { RouteRequest } from './guard.ts'

/** Goes back to the screen that is still shown; returns false if there is none. */
let goBack = () => false

/** Connects `goBack` to the router, so that the screen stays if the next one can't be loaded. */
export function useGoBack() {
  const router = useRouter()
  useEffect(() => {
    // The user may have navigated while the first screen rendered, before the router listened.
    router.updateLatestLocation()
    if (router.latestLocation.href !== router.state.location.href) void router.load()
    goBack = () => {
      const here = router.state.resolvedLocation?.state.__TSR_index
      const steps = here === undefined ? 0 : here - router.history.location.state.__TSR_index
      if (steps !== 0) router.history.go(steps, { ignoreBlocker: true })
      return steps !== 0
    }
    return () => {
      goBack = () => false
    }
  }, [router])
}

/** Whether the page at `path` gives way to one that is still loading, whose URL lacks this page's fragment. */
export const useIsLeaving = (path: string): boolean =>
  useLocation({ select: ({ pathname }) => !pathname.toLowerCase().startsWith(path) })

const never = new Promise<never>(() => {})
const reloadedKey = 'toolbox.reloaded'

/** Reloads the whole page at the new address, once: after a server update, files have new names. */
function reloadAt(href: string, error: unknown) {
  // If the reload can't be recorded, the page could reload forever.
  if (readStorage(reloadedKey, 'sessionStorage') === href || !writeStorage(reloadedKey, href, 'sessionStorage'))
    throw error
  location.assign(href)
  return never
}

/** Whether the server can be reached; shows an error if not. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await fetchSession()
    return true
  } catch (error) {
    if (isUnreachable(error)) notifyError(reason(error))
    return !isUnreachable(error)
  }
}

/** Prepares the next screen. If the server can't be reached, the current screen stays. */
async function prepareScreen(request: RouteRequest, getReady: () => Promise<void>) {
  try {
    if (request.cause === 'enter' && !onlineManager.isOnline()) await fetchSession()
    await getReady()
    if (!request.preload) writeStorage(reloadedKey, null, 'sessionStorage')
  } catch (error) {
    if (request.preload) throw error
    if (statusOf(error) === 404) return reloadAt(request.location.href, error)
    if (!isUnreachable(error) || !goBack()) throw error
    notifyError(reason(error))
    await never
  }
}

/** Loads a new record's screen first, so that no loading screen replaces the form, in which the user may still type. */
export function useNavigatePreloaded() {
  const router = useRouter()
  return async (place: { to: string; search: Record<string, string> }) => {
    const { href } = location
    await router.preloadRoute(place)
    if (location.href === href) await router.navigate({ ...place, ignoreBlocker: true })
  }
}

/** The options of a route whose screen is loaded when a user opens it and passes its guard. */
export function lazyScreen(load: () => Promise<ComponentType>, guard?: (request: RouteRequest) => Promise<void>) {
  let Screen: ComponentType | undefined
  return {
    beforeLoad: (request: RouteRequest) =>
      prepareScreen(request, async () => {
        await guard?.(request)
        if (Screen) return
        const loaded = await load()
        // If two loads overlap, keep the first component: a different one would remount the screen.
        Screen ??= loaded
      }),
    component: () => Screen && createElement(Screen),
  }
}
