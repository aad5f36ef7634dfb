import type { SmallDisk } from './small-disk.ts'
import type { Database, Stage } from './stage.ts'

export type Scenario = {
  name: string
  databases: readonly Database[]
  /** Seconds until everything has to be as before. */
  limit: number
  instances?: number
  env?: Record<string, string>
  /** Needs a disk of its own of so many megabytes. */
  disk?: number
  /** The server itself ends or stands still, so that calls break off. */
  breaks?: boolean
  /** Injects the fault and waits for the recovery, whose seconds it answers. */
  run(stage: Stage, tools: Tools): Promise<{ tries: number; seconds: number }>
}
type Tools = {
  limit: number
  /** A number from 0 to 1, the same in every run of the same seed. */
  random: () => number
  disk: SmallDisk | undefined
}
