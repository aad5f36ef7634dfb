import type { Migration } from 'kysely/migration'
import { runAll } from '../schema.ts'

/** Finds the few channels that fail among all. */
export const failingChannels = (): Migration =>
  runAll(['create index channel_failing on channel (failing_since) where failing_since is not null'])
