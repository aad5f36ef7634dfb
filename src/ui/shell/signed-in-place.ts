import { store, stored } from '../stored.ts'

/** The id of the bell's place in the header. */
export const bellPlace = 'bell'

type Part = 'search' | 'shortcuts'
const acts: { [Asked in Part]?: () => void } = {}

/** Called by the component that shows this part; returns a function that disconnects it. */
export function onAsked(part: Part, act: () => void) {
  acts[part] = act
  return () => {
    delete acts[part]
  }
}

/** Opens it from elsewhere. */
export const ask = (part: Part) => acts[part]?.()

const key = 'toolbox.shortcuts'
/** Whether single keys act, in this browser. */
export const areShortcutsOn = (): boolean => stored(key) !== 'off'
export const setShortcuts = (on: boolean) => store(key, on ? null : 'off')
