import { type ComponentType, lazy, useEffect, useState } from 'react'
import { seconds } from '../../shared/time.ts'
import { reason, statusOf } from '../data/api.ts'
import { notifyError } from '../toasts.ts'

declare global {
  interface Navigator {
    /** Missing in some browsers. */
    readonly connection?: { readonly saveData?: boolean; readonly effectiveType?: string }
  }
}

/** Whether the connection is fast and data saving is off; otherwise, don't fetch what may not be needed. */
function mayFetchAhead() {
  const { saveData = false, effectiveType = '4g' } = navigator.connection ?? {}
  return !saveData && effectiveType === '4g'
}

/** Milliseconds before anything is fetched ahead, so that the first screen's own requests come first. */
const headStart = 1_000

const onceIdle = (act: () => void) =>
  setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 2_000 }) : act()), headStart)

const retryAfter = seconds(10)

/** A component that the first screen can do without: loaded when the browser is idle, or as soon as it is needed. */
export function lazyWhenIdle<Props>(fetchComponent: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  const fetchOnce = async () => {
    loaded ??= await fetchComponent()
  }
  /** `preload` ignores errors; `load` shows them and returns if it worked; `needed` loads without waiting for idle. */
  return function useLazy({ needed = false } = {}) {
    const [, setLoaded] = useState(loaded !== undefined)
    const show = () => setLoaded(true)
    const preload = () => void fetchOnce().then(show, () => {})
    const retry = () => void fetchOnce().then(show, () => setTimeout(retry, retryAfter))
    const load = async () => {
      try {
        await fetchOnce()
        show()
        return true
      } catch (error) {
        notifyError(reason(error))
        return false
      }
    }
    // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
    useEffect(() => {
      if (needed) retry()
      else if (mayFetchAhead()) onceIdle(retry)
    }, [needed])
    return { Component: loaded, preload, load }
  }
}

/** A dialog loaded the same way. Pass `turn` as its key to reset it each time it opens. */
export function lazyDialog<Props>(fetchComponent: () => Promise<ComponentType<Props>>) {
  const useLazy = lazyWhenIdle(fetchComponent)
  return function useDialog() {
    const { Component, preload, load } = useLazy()
    const [open, setOpen] = useState(false)
    const [turn, setTurn] = useState(0)
    const show = () => {
      setTurn(turn + 1)
      void load().then(setOpen)
    }
    const opener = { 'aria-haspopup': 'dialog', onPointerEnter: preload, onFocus: preload, onClick: show } as const
    /** The same, for a button that first sets the dialog's subject. */
    const openerAfter = (say: () => void) => ({
      ...opener,
      onClick: () => {
        say()
        show()
      },
    })
    return { Dialog: Component, turn, open, close: () => setOpen(false), opener, openerAfter }
  }
}

/** React's `lazy` for a component that its screen can do without: retries until it is loaded. */
export const lazyPart = <Props>(fetchComponent: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    for (;;) {
      try {
        return { default: await fetchComponent() }
      } catch (error) {
        // A file that an update of the server has removed won't come back.
        const isGone = statusOf(error) === 404
        if (isGone) notifyError(reason(error))
        await new Promise((resolve) => isGone || setTimeout(resolve, retryAfter))
      }
    }
  })
