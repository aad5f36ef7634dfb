import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Milliseconds; a day less than entries are kept, since the clean-up may go by a clock that is ahead of the database's. */
const leastAge = 399 * 86_400_000

const statements = {
  sqlite: [
    `create trigger audit_kept before delete on audit
      when old.at > cast(unixepoch('subsec') * 1000 as integer) - ${leastAge}
      begin select raise(abort, 'audit is append-only'); end`,
    // Otherwise "insert or replace" would delete an entry without asking.
    `create trigger audit_new before insert on audit when exists (select 1 from audit where id = new.id)
      begin select raise(abort, 'audit is append-only'); end`,
  ],
  postgres: [
    `create function audit_kept() returns trigger language plpgsql as $$ begin
      if old.at > extract(epoch from clock_timestamp()) * 1000 - ${leastAge} then
        raise exception 'audit is append-only';
      end if;
      return old;
    end $$`,
    'create trigger audit_kept before delete on audit for each row execute function audit_kept()',
    'create trigger audit_whole before truncate on audit for each statement execute function audit_unchanging()',
  ],
}

/** An entry of the audit log can be deleted once it is old, by nobody before that. */
export const auditByAge = ({ kind }: Schema): Migration => runAll(statements[kind])
