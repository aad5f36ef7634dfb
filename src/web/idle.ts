import { type ComponentType, useEffect, useState } from 'react'
import { complain } from './toasts.ts'

const whenIdle = (act: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 2_000 }) : setTimeout(act, 200)

const noMatter = () => {}
// A second attempt would go without the styles that failed with the first.
const sayMissing = () => complain('A part of this page could not be fetched. Reload the page to try again.')

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
      // What nobody has asked for yet may fail in silence.
      whenIdle(() => void ask().then(() => mounted && seen(true), noMatter))
      return () => {
        mounted = false
      }
    }, [])
    return { Component: loaded, ask: () => void ask().then(() => seen(true), sayMissing) }
  }
}
