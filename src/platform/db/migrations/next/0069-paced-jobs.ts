import type { Migration } from 'kysely/migration'
import { runAll } from '../schema.ts'

/** Finds the jobs that begin in their turn, each of which names what it belongs to. */
export const pacedJobs = (): Migration =>
  runAll(["create index job_paced on job (payload) where payload is not null and kind in ('now', 'turn')"])
