import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** An entry is about its page's repository. */
export const repositories = ({ secondAndThird }: Schema): Migration =>
  runAll([`update entry set about = ${secondAndThird('about')} where tool = 'ghmdinvalidator' and about like '%/%'`])
