import { type ComponentType, useEffect, useState } from 'react'

const whenIdle = (act: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 2_000 }) : setTimeout(act, 200)

/** A component that the first screen can do without: fetched when the browser is idle, or when somebody asks for it. */
export function later<Props>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<ComponentType<Props>> | undefined
  const ask = () => {
    loading ??= load().then((component) => {
      loaded = component
      return component
    })
    return loading
  }
  /** The component once it is here, and how to hurry. */
  return function useLater(): { Component: ComponentType<Props> | undefined; ask: () => void } {
    const [, seen] = useState(loaded !== undefined)
    useEffect(() => {
      let mounted = true
      whenIdle(() => void ask().then(() => mounted && seen(true)))
      return () => {
        mounted = false
      }
    }, [])
    return { Component: loaded, ask: () => void ask().then(() => seen(true)) }
  }
}
