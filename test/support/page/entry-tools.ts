import type { Page } from '@playwright/test'
import { sql } from 'kysely'
import { turnJob } from '../../../src/entries/store.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import type { Awake } from '../../../src/shared/status-glyphs.ts'
import { hours } from '../../../src/shared/time.ts'
import { ghmdinvalidatorNames } from '../../../src/tools/ghmdinvalidator/terms.ts'
import { herokudiscordwebhookNames } from '../../../src/tools/herokudiscordwebhook/terms.ts'
import { keepaliveNames } from '../../../src/tools/keepalive/terms.ts'
import { releaseTag } from '../test-run.ts'
import { changeDatabase, type Instance } from './instance.ts'
import { expect } from './kit.ts'
import type { EntryToolId } from './screens.ts'

type Entry = { id: string; status: boolean; owner: string; createdAt: number; history: object[] }

/** What the tests of shared screens need to know about a tool with entries. */
export type EntryTool = {
  contract: { id: string; label: string; noun: string; path: string }
  /** The one required text of a new entry: its label, its name in a request body, and a value that is rejected. */
  field: { label: string; name: string; refused: { text: string; is: string; why: RegExp } }
  columns: readonly string[]
  /** Columns whose search matches parts of the text. */
  partialMatchColumns: readonly string[]
  about: readonly RegExp[]
  /** A valid value for the field, different for each name. */
  address: (instance: Instance, name: string) => string
  /** The page after a deletion: with the same query, or without one. */
  afterDelete: 'same' | 'blank'
  /** Whether entries run automatically, for the first time when saved. */
  runs: boolean
}

const columnsWith = (...own: string[]) => [
  'Name',
  'Last 30 runs',
  'Last Run',
  'ID',
  ...own,
  'Status',
  'Owner',
  'Created Timestamp',
  'Actions',
]
export const urlToolColumns = columnsWith('URL')

const noWebSite = { text: 'ftp://example.com', is: 'An address that is not a web URL', why: /https?/ }
const keepalive: EntryTool = {
  contract: keepaliveNames,
  field: { label: 'URL', name: 'url', refused: noWebSite },
  columns: urlToolColumns,
  partialMatchColumns: ['URL'],
  about: [/sends it a GET request every 28 minutes/, /sleep after a period of inactivity, 30 minutes/],
  address: (instance, name) => instance.target.url(`/${name}`),
  afterDelete: 'same',
  runs: true,
}
const ghmdinvalidator: EntryTool = {
  contract: ghmdinvalidatorNames,
  field: { label: 'URL', name: 'url', refused: noWebSite },
  columns: urlToolColumns,
  partialMatchColumns: ['URL'],
  about: [/readme images through a proxy that caches them/, /every 12 hours/],
  address: (instance, name) => instance.github.page(`/owner/${name}`, []),
  afterDelete: 'blank',
  runs: true,
}
const relayUrls = ['Heroku Webhook Endpoint', 'Discord Webhook URL']
const hooks = new Map<string, string>()
const herokudiscordwebhook: EntryTool = {
  contract: herokudiscordwebhookNames,
  field: { label: 'Discord Webhook URL', name: 'discordHook', refused: noWebSite },
  columns: columnsWith(...relayUrls),
  partialMatchColumns: relayUrls,
  about: [/Heroku can send a webhook for every build, release and crash/, /forwards them to your Discord channel/],
  address(instance, name) {
    const hook = hooks.get(name) ?? instance.discord.webhook().url
    hooks.set(name, hook)
    return hook
  },
  afterDelete: 'blank',
  runs: false,
}
const all: Record<EntryToolId, EntryTool> = { keepalive, ghmdinvalidator, herokudiscordwebhook }
export const entryTools = Object.values(all)

export const rootOf = ({ contract }: EntryTool) => `/tools/${contract.id}`

export async function createEntry(instance: Instance, tool: EntryTool, name: string, more: { status?: boolean } = {}) {
  const settings = { [tool.field.name]: tool.address(instance, name), ...more }
  const { status, body } = await instance.call<Entry>('POST', `${tool.contract.path}/`, settings)
  expect(status).toBe(201)
  return body
}
export const waitForFirstRun = (instance: Instance, path: string) =>
  expect.poll(async () => (await instance.call<Entry>('GET', path)).body.history.length).toBeGreaterThan(0)
/** Creates an entry and waits for its first run, if it has one; afterwards it no longer changes on its own. */
export async function createIdleEntry(instance: Instance, tool: EntryTool, name: string) {
  const entry = await createEntry(instance, tool, name)
  if (tool.runs) await waitForFirstRun(instance, `${tool.contract.path}?id=${entry.id}`)
  return entry
}
export const readEntry = (instance: Instance, { contract }: EntryTool, id: string) =>
  instance.call<Entry>('GET', `${contract.path}?id=${id}`)
export const removeEntry = (instance: Instance, { contract }: EntryTool, id: string) =>
  instance.call('DELETE', `${contract.path}?id=${id}`)

export async function removeEntries(instance: Instance, tool: EntryTool) {
  const { body } = await instance.call<Entry[]>('GET', `${tool.contract.path}/list`)
  for (const { id } of body) await removeEntry(instance, tool, id)
}

export const saveButton = (page: Page) => page.getByRole('button', { name: 'Save' })
export const resetButton = (page: Page) => page.getByRole('button', { name: 'Reset' })
export const mainField = (page: Page, { field }: EntryTool) => page.getByLabel(field.label, { exact: true })
export const unsaved = (page: Page) => page.getByText('Unsaved changes')

/** The end of a title. All tools share the code of these screens, so the usual run only tests the first tool's. */
export const releaseTagOf = (tool: EntryTool) => (tool === entryTools[0] ? '' : releaseTag)

/** The rows of a list of entries. */
export const entryRows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })

/** What earlier runs have found out about an app, and the result of the last run. */
type HostState = { awake: Awake | null; memory?: object; asleep?: number; success?: boolean; note?: string }

/** Creates an entry that appears to be at this host, which tests must not contact; returns its id. */
export async function createEntryAtHost(
  instance: Instance,
  host: string,
  more: object = {},
  hostState?: HostState,
): Promise<string> {
  const body = { url: instance.target.url('/host'), status: false, ...more }
  const { id } = (await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', body)).body
  await changeDatabase(instance, async (db) => {
    const settings = sql`json_set(settings, '$.url', ${`https://${host}/`})`
    // The state after the first run of an entry that only reminds its owner.
    const awake = sql`case json_extract(settings, '$.keep') when 'person' then 'reminder' end`
    await sql`update entry set settings = ${settings}, about = ${host}, status = 1, created_at = 0, awake = ${awake}
      where id = ${id}`.execute(db.q)
    if (hostState) await storeHostState(db, id, hostState)
  })
  return id
}

async function storeHostState({ q }: Db, entry_id: string, hostState: HostState) {
  const { awake, memory = {}, asleep = 0, success = true, note = null } = hostState
  const at = Date.now()
  const run = { success: success ? 1 : 0, duration: 210, count: success ? 200 : 540, note } as const
  const { success: last_success, duration: last_duration, count: last_count, note: last_note } = run
  const last = { last_at: at, last_success, last_duration, last_count, last_note }
  const failing = success ? {} : { fails: 2, failing_since: at }
  await q
    .updateTable('entry')
    .set({ awake, ...last, ...failing })
    .where('id', '=', entry_id)
    .execute()
  const awakeState = { found_asleep: asleep, last_asleep_at: asleep > 0 ? at : null, memory: JSON.stringify(memory) }
  await q
    .insertInto('awake')
    .values({ entry_id, ...awakeState })
    .execute()
  await q
    .insertInto('run')
    .values({ entry_id, at, ...run })
    .execute()
}

/** Creates a named entry that has failed once and has an open incident; returns its id. */
export async function createFailingEntry(instance: Instance, name: string) {
  const { body } = await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', {
    name,
    url: instance.target.url('/down'),
    notifyAfter: 1,
  })
  await expect
    .poll(async () => (await instance.call<unknown[]>('GET', `/api/v1/incidents?open=true&id=${body.id}`)).body.length)
    .toBe(1)
  // A first failure is repeated after a minute, which a slow test would see as a second one.
  const later = Date.now() + hours(1)
  await changeDatabase(instance, ({ q }) =>
    q.updateTable('job').set({ due_at: later, free_at: later }).where('id', '=', turnJob(body.id)).execute(),
  )
  return body.id
}
/** Makes the entry's target succeed from now on. */
export const recover = (instance: Instance, id: string) =>
  instance.call('PATCH', '/api/v1/keepalive', { id, url: instance.target.url('/well') })
