import type { SmallDisk } from './small-disk.ts'
import type { Database, Stage } from './stage.ts'

export type Scenario = {
  name: string
  databases: readonly Database[]
  /** Maximum seconds until full recovery. */
  limit: number
  instances?: number
  env?: Record<string, string>
  /** Needs a separate disk of this many megabytes. */
  disk?: number
  /** The server itself exits or stops, so calls may fail without a response. */
  breaks?: boolean
  /** Injects the fault, waits for the recovery, and returns its duration in seconds. */
  run(stage: Stage, tools: Tools): Promise<{ tries: number; seconds: number }>
}
type Tools = {
  limit: number
  /** A number from 0 to 1, the same in every run of the same seed. */
  random: () => number
  disk: SmallDisk | undefined
}
