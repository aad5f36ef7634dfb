import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Milliseconds; a day less than failures are kept, since the clean-up may go by a clock that is ahead of the database's. */
const leastAge = 29 * 86_400_000
const isLess = ['wrong', 'code', 'limited', 'refused'].map((count) => `new.${count} < old.${count}`).join(' or ')
const isRewritten = `new.began_at <> old.began_at or new.user_id <> old.user_id or new.network <> old.network or new.at <> old.at or ${isLess}`

/** Failures can only be counted, and deleted once they are old. */
const rules = {
  sqlite: [
    `create trigger sign_in_failure_kept before delete on sign_in_failure
      when old.at > cast(unixepoch('subsec') * 1000 as integer) - ${leastAge}
      begin select raise(abort, 'failed sign-ins are append-only'); end`,
    `create trigger sign_in_failure_counted before update on sign_in_failure when ${isRewritten}
      begin select raise(abort, 'failed sign-ins are append-only'); end`,
  ],
  postgres: [
    `create function sign_in_failure_kept() returns trigger language plpgsql as $$ begin
      if old.at > extract(epoch from clock_timestamp()) * 1000 - ${leastAge} then
        raise exception 'failed sign-ins are append-only';
      end if;
      return old;
    end $$`,
    `create function sign_in_failure_counted() returns trigger language plpgsql as $$ begin
      raise exception 'failed sign-ins are append-only';
    end $$`,
    'create trigger sign_in_failure_kept before delete on sign_in_failure for each row execute function sign_in_failure_kept()',
    `create trigger sign_in_failure_counted before update on sign_in_failure for each row
      when (${isRewritten}) execute function sign_in_failure_counted()`,
    'create trigger sign_in_failure_whole before truncate on sign_in_failure for each statement execute function sign_in_failure_counted()',
  ],
}

/** Devices in the audit log, failed sign-ins by the quarter of an hour, and the networks an API key was used from. */
export const auditTrail = ({ kind, int, byKey }: Schema): Migration =>
  runAll([
    'alter table audit add column device text',
    // What a user did, and what was done to a user, newest first.
    'create index audit_actor on audit (actor_id, at, id)',
    'create index audit_target on audit (target_id, at, id)',
    // No foreign key: failures are kept when the account is gone. `user_id` is '' for a username that nobody has.
    `create table sign_in_failure (
      user_id text not null, network text not null, began_at ${int} not null, at ${int} not null, last_at ${int} not null,
      wrong ${int} not null, code ${int} not null, limited ${int} not null, refused ${int} not null,
      name text, address text, device text,
      primary key (began_at, user_id, network)) ${byKey}`,
    'create index sign_in_failure_at on sign_in_failure (at)',
    'create index sign_in_failure_of on sign_in_failure (user_id, at)',
    `create table api_key_network (
      key_id text not null references api_key (id) on delete cascade, network text not null, at ${int} not null,
      primary key (key_id, network)) ${byKey}`,
    ...rules[kind],
  ])
