import { onlineManager } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ComponentType, createElement, useEffect } from 'react'
import { isUnreachable, reason, statusOf } from '../data/api.ts'
import { queryClient } from '../data/query.ts'
import { sessionQuery } from '../data/session.ts'
import { complain } from '../toasts.ts'
import type { Asked } from './guard.ts'

/** Goes back to the screen that is still there; false when there is none. */
let goBack = () => false

/** Lets links that lead nowhere keep the screen, from where the router is at hand. */
export function useWayBack() {
  const router = useRouter()
  useEffect(() => {
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

const never = new Promise<never>(() => {})
const reloadedKey = 'toolbox.reloaded'

/** Loads the page at its new address, once: this page is older than the server, whose files have other names by now. */
function loadAnew(href: string, error: unknown) {
  if (sessionStorage.getItem(reloadedKey) === href) throw error
  sessionStorage.setItem(reloadedKey, href)
  location.assign(href)
  return never
}

/** Whether the server is there is known at once; screens that need nothing of it would be shown as if it were. */
async function askServer() {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

/** Whether there is an answer to be had; says so when there is none. */
export async function isServerThere(): Promise<boolean> {
  try {
    await askServer()
    return true
  } catch (error) {
    if (isUnreachable(error)) complain(reason(error))
    return !isUnreachable(error)
  }
}

/** Gets ready for another screen. While the server cannot be reached, the screen that is there stays. */
export async function reach(asked: Asked, getReady: () => Promise<void>) {
  try {
    if (asked.cause === 'enter' && !onlineManager.isOnline()) await askServer()
    await getReady()
    if (!asked.preload) sessionStorage.removeItem(reloadedKey)
  } catch (error) {
    if (asked.preload) throw error
    if (statusOf(error) === 404) return loadAnew(asked.location.href, error)
    if (!isUnreachable(error) || !goBack()) throw error
    complain(reason(error))
    await never
  }
}

/** What a route needs whose screen is fetched when somebody goes there who may. */
export function fetchedScreen(load: () => Promise<ComponentType>, guard?: (asked: Asked) => Promise<void>) {
  let Screen: ComponentType | undefined
  return {
    beforeLoad: (asked: Asked) =>
      reach(asked, async () => {
        await guard?.(asked)
        Screen ??= await load()
      }),
    component: () => Screen && createElement(Screen),
  }
}
