import { useSyncExternalStore } from 'react'

/** Ends the question; true if the user has proved who they are. */
type End = (isProven: boolean) => void

let end: End | undefined
let answer: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function set(next: End | undefined) {
  end = next
  for (const listener of listeners) listener()
}

/** Asks the user to prove who they are; calls that are refused at the same time share the answer. */
export function askForProof(): Promise<boolean> {
  answer ??= new Promise<boolean>((resolve) => set(resolve)).finally(() => {
    answer = undefined
    set(undefined)
  })
  return answer
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What ends the question that is asked now, if one is. */
export const useQuestion = (): End | undefined => useSyncExternalStore(subscribe, () => end)
