import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Who asks for access, and who signed up and waits for approval. */
export const accessRequests = ({ int }: Schema): Migration =>
  runAll([
    // One a user: the latest. `kind` is request or sign-up; open until `decided_at`, `decision` is approve, tools or decline.
    `create table access_request (
      user_id text primary key references users (id) on delete cascade, kind text not null, message text,
      at ${int} not null, decided_at ${int}, decision text)`,
    'create index access_request_open on access_request (at) where decided_at is null',
    // Users who signed up while that needed approval, and were never given another status.
    `insert into access_request (user_id, kind, at)
      select users.id, 'sign-up', max(audit.at) from audit join users on users.id = audit.target_id
      where audit.action = 'user.signup' and users.status = 1 and users.log_in_count = 0
        and users.id not in (select target_id from audit
          where action = 'user.edit' and target_id is not null and changes like '%"field":"status"%')
      group by users.id`,
  ])
