import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Gives back what starting took, some 60 MB: loading modules leaves garbage that V8 keeps room for until there is need. */
export function giveBackMemory() {
  setFlagsFromString('--expose-gc')
  const collect: Collect = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * By how much the heap may grow from one search for garbage to the next, in percent; 0 leaves it to V8, which lets a small
 * heap grow fourfold. For work that leaves much garbage: it costs more searches, most of them in other threads.
 */
export const limitHeapGrowth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`)
