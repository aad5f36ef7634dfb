import { store, stored } from '../stored.ts'

export const bellPlace = 'bell'

type Part = 'search' | 'shortcuts'
const acts: { [Asked in Part]?: () => void } = {}
let wanted: Part | undefined

/** Called by the component that shows this part; handles an earlier request. Returns a function that disconnects it. */
export function onAsked(part: Part, act: () => void) {
  acts[part] = act
  if (wanted === part) ask(part)
  return () => {
    delete acts[part]
  }
}

/** Opens a part from elsewhere, as soon as its component is mounted. */
export function ask(part: Part): void {
  const act = acts[part]
  wanted = act ? undefined : part
  act?.()
}

const key = 'toolbox.shortcuts'
export const areShortcutsOn = (): boolean => stored(key) !== 'off'
export const setShortcuts = (on: boolean) => store(key, on ? null : 'off')
