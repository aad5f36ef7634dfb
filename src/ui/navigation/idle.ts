import { type ComponentType, lazy, useEffect, useState } from 'react'
import { seconds } from '../../shared/time.ts'
import { reason } from '../data/api.ts'
import { complain } from '../toasts.ts'

const whenIdle = (act: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 2_000 }) : setTimeout(act, 200)

/** Between two attempts that nobody waits for. */
const patience = seconds(10)

/** A component that the first screen can do without: fetched when the browser is idle, or when somebody asks for it. */
export function later<Props>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  const fetchIt = async () => {
    loaded ??= await load()
  }
  /** The component once it is here, how to hurry in silence, and how to ask for it: answers whether it came. */
  return function useLater() {
    const [, seen] = useState(loaded !== undefined)
    const arrived = () => seen(true)
    // What nobody has asked for yet may fail in silence.
    const hurry = () => void fetchIt().then(arrived, () => {})
    const insist = () => void fetchIt().then(arrived, () => setTimeout(insist, patience))
    const ask = async () => {
      try {
        await fetchIt()
        arrived()
        return true
      } catch (error) {
        complain(reason(error))
        return false
      }
    }
    // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
    useEffect(() => {
      whenIdle(insist)
    }, [])
    return { Component: loaded, hurry, ask }
  }
}

/** A component beside what a screen is about: asked for until it comes, and nothing stands in its place meanwhile. */
export const besides = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    for (;;) {
      try {
        return { default: await load() }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, patience))
      }
    }
  })
