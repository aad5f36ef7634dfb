import { readStorage, writeStorage } from '../browser-storage.ts'

export const bellContainerId = 'bell'

type Part = 'search' | 'shortcuts'
const openers: { [Asked in Part]?: () => void } = {}
let pendingPart: Part | undefined

/** Called by the component that shows this part; handles an earlier request. Returns a function that disconnects it. */
export function onOpenRequest(part: Part, act: () => void) {
  openers[part] = act
  if (pendingPart === part) requestOpen(part)
  return () => {
    delete openers[part]
  }
}

/** Opens a part from elsewhere, as soon as its component is mounted. */
export function requestOpen(part: Part): void {
  const act = openers[part]
  pendingPart = act ? undefined : part
  act?.()
}

const key = 'toolbox.shortcuts'
export const areShortcutsOn = (): boolean => readStorage(key) !== 'off'
export const setShortcuts = (on: boolean) => writeStorage(key, on ? null : 'off')
