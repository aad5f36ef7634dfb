import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL server as a user who may create databases. */
    pg: string
  }
}

/** One real PostgreSQL for the whole run: TOOLBOX_TEST_PG when given, else one of our own that goes with the run. */
export default async function setup(project: TestProject) {
  const given = process.env.TOOLBOX_TEST_PG
  if (given) {
    project.provide('pg', given)
    return
  }
  const { url, stop } = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=300'])
  project.provide('pg', url)
  return stop
}
