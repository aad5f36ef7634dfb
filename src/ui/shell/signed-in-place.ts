import { store, stored } from '../stored.ts'

export const bellPlace = 'bell'

type Part = 'search' | 'shortcuts'
const acts: { [Asked in Part]?: () => void } = {}
let wanted: Part | undefined

/** Called by the component that shows this part, also for what was asked before; returns a function that disconnects it. */
export function onAsked(part: Part, act: () => void) {
  acts[part] = act
  if (wanted === part) ask(part)
  return () => {
    delete acts[part]
  }
}

/** Opens it from elsewhere, as soon as it is there. */
export function ask(part: Part): void {
  const act = acts[part]
  wanted = act ? undefined : part
  act?.()
}

const key = 'toolbox.shortcuts'
/** Whether single keys act, in this browser. */
export const areShortcutsOn = (): boolean => stored(key) !== 'off'
export const setShortcuts = (on: boolean) => store(key, on ? null : 'off')
