import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from '../../platform/db/migrations/schema.ts'

const purges = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table purge (hash text primary key, at ${int} not null) ${byKey}`,
    'create index purge_at on purge (at)',
    `create table purge_page (
      entry_id text primary key references entry (id) on delete cascade, at ${int} not null, moved_to text) ${byKey}`,
    `create table purge_image (
      entry_id text not null references entry (id) on delete cascade, position integer not null,
      origin text not null, outcome text not null, note text,
      primary key (entry_id, position)) ${byKey}`,
  ])

/** Makes an entry's `about` the repository of its page. */
const repositories = ({ secondAndThird }: Schema): Migration =>
  runAll([`update entry set about = ${secondAndThird('about')} where tool = 'ghmdinvalidator' and about like '%/%'`])

const ofEntry = 'entry_id text not null references entry (id) on delete cascade'

const imagesTables = ({ int, byKey }: Schema): Migration =>
  runAll([
    ...['digest', 'state', 'cause', 'github', 'source'].map(
      (name) => `alter table purge_image add column ${name} text`,
    ),
    `create table image_copy (
      ${ofEntry}, hash text not null, type text not null, bytes text not null, primary key (entry_id, hash)) ${byKey}`,
    `create table dead_image (
      ${ofEntry}, hash text not null, runs integer not null, since ${int} not null, primary key (entry_id, hash)) ${byKey}`,
  ])

/** Run in the order of their names. Never edit one after its release. */
export const migrations: Migrations = {
  '0003-purges': purges,
  '0027-repository': repositories,
  '0032-compared-images': imagesTables,
}
