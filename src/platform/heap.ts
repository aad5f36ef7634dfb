import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Returns some 60 MB after the start: loading modules leaves garbage, which V8 keeps until it runs short. */
export function releaseMemory() {
  setFlagsFromString('--expose-gc')
  const collect: Collect = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Sets how much the heap may grow between garbage collections, in percent; 0 restores V8's default, which lets a small
 * heap grow fourfold. For work that creates much garbage: it costs more collections, most of them on other threads.
 */
export const limitHeapGrowth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`)
