import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Views that the embedded database hasn't added to their tags yet; one that is shared adds them at once. */
export const badgeJournal = ({ isShared }: Schema): Migration =>
  runAll(
    isShared
      ? []
      : [
          `create table badge_journal (
            id integer primary key, at integer not null, source text not null, tags text not null)`,
        ],
  )
