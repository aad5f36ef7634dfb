import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database/databases.ts'
import { fakeDiscord } from '../support/fakes/fake-discord.ts'
import { fakeGithub } from '../support/fakes/fake-github.ts'
import { type EntryToolId, toolsWithEntries } from '../support/page/screens.ts'
import { createPerson } from '../support/people.ts'
import { closeAfterwards, toolbox } from '../support/toolbox.ts'
import { kinds, openCallers } from './callers.ts'
import { lineOf, type Row, routesIn, rowsOf } from './table.ts'

/** The status that each call returns to each kind of caller. `{tool}` stands for every tool that has the call. */
const rows = rowsOf(readFileSync(new URL('routes.txt', import.meta.url), 'utf8'))
const toolIds = toolsWithEntries.map(({ id }) => id)

const discord = closeAfterwards(await fakeDiscord())
const github = closeAfterwards(await fakeGithub())
const env = { ...discord.env, ...github.env, APP_SECRET: 'one secret of both, with more than 32 characters' }
const database = await freshDatabase('sqlite')
const box = closeAfterwards(await toolbox('sqlite', env, undefined, { database }))
const shared = { ...database, drop: async () => {} }
const required = { ...env, REQUIRE_SECOND_FACTOR: 'all' }
const strict = closeAfterwards(await toolbox('sqlite', required, undefined, { database: shared }))
const { callers, owner } = await openCallers(box, strict)
const bodies: Record<EntryToolId, object> = {
  keepalive: { url: 'http://127.0.0.1:9/' },
  ghmdinvalidator: { url: github.page('/owner/page', []) },
  herokudiscordwebhook: { discordHook: discord.webhook().url },
}
const newEntries = toolIds.map(async (id) => {
  const call = { method: 'POST', url: `/api/v1/${id}`, body: { ...bodies[id], status: false } }
  return [id, JSON.parse((await callers.owner(call)).text).id] as const
})
const entries: Record<string, string> = Object.fromEntries(await Promise.all(newEntries))

/** Copies an entry, for a call that would delete it; returns the copy's id. */
async function copyOf(id: string): Promise<string> {
  const { search: _, ...entry } = await box.db.q
    .selectFrom('entry')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const copy = { ...entry, id: randomUUID(), address: null }
  await box.db.q.insertInto('entry').values(copy).execute()
  const relay = await box.db.q.selectFrom('relay').selectAll().where('entry_id', '=', id).executeTakeFirst()
  if (relay)
    await box.db.q
      .insertInto('relay')
      .values({ ...relay, entry_id: copy.id })
      .execute()
  return copy.id
}

async function filled(text: string, tool: string): Promise<string> {
  const entry = entries[tool] ?? ''
  const makers: Record<string, () => Promise<string> | string> = {
    '{tool}': () => tool,
    '{entry}': () => entry,
    '{copy}': () => copyOf(entry),
    '{owner}': () => owner,
    '{user}': async () => (await createPerson(box.context)).email,
    '{id}': async () => (await createPerson(box.context)).id,
    '{new}': () => `n-${randomUUID().slice(0, 8)}`,
    ':tag': () => 'matrix',
    ':token': () => 'unknown',
    ':slug': () => 'unknown',
    ':provider': () => 'unknown',
    '*': () => '/a/b',
  }
  let result = text
  for (const [placeholder, make] of Object.entries(makers))
    if (result.includes(placeholder)) result = result.replaceAll(placeholder, await make())
  return result
}

const pathOf = ({ method, url }: Row, tool: string) => `${method} ${url.replace(/\?.*/, '').replace('{tool}', tool)}`
const routes = () => routesIn(box.app.printRoutes({ commonPrefix: false }))
/** The tools that a row is about; one empty string for a call without a tool. */
function toolsOf(row: Row): string[] {
  if (row.url.includes('{tool}')) return toolIds.filter((tool) => routes().includes(pathOf(row, tool)))
  return [toolIds.find((tool) => row.url.startsWith(`/api/v1/${tool}/`)) ?? '']
}

test('the table has a row for every route and no others', () => {
  const described = rows.flatMap((row) => toolsOf(row).map((tool) => pathOf(row, tool)))
  expect([...new Set(described)].sort()).toEqual(routes().sort())
  expect(rows.filter((row) => toolsOf(row).length === 0)).toEqual([])
})

test.each(rows)('$method $url returns the listed status to every kind of caller', async (row) => {
  const got: string[] = []
  const misshapen: string[] = []
  for (const tool of toolsOf(row)) {
    const statuses = { ...row.statuses }
    for (const kind of kinds) {
      const url = await filled(row.url, tool)
      const body = row.body === undefined ? undefined : JSON.parse(await filled(row.body, tool))
      const answer = await callers[kind]({ method: row.method, url, body })
      statuses[kind] = answer.status
      if (!hasItsShape(answer)) misshapen.push(`${kind}: ${row.method} ${url} → ${answer.status} ${answer.text}`)
    }
    got.push(lineOf(row, (kind) => statuses[kind]))
  }
  expect(misshapen).toEqual([])
  expect(got).toEqual(toolsOf(row).map(() => lineOf(row)))
})

/** Whether an error has a message. Badges and pages show theirs instead; a 5xx is always wrong. */
function hasItsShape({ status, headers, text }: { status: number; headers: Record<string, unknown>; text: string }) {
  if (status < 400 || /^(?:image\/svg\+xml|text\/html)/.test(String(headers['content-type']))) return status < 500
  return status < 500 && typeof JSON.parse(text).error === 'string'
}

test('no response to a read-only key contains a secret of an entry', async () => {
  const own = (tool: string) => callers['key-both']({ method: 'GET', url: `/api/v1/${tool}?id=${entries[tool]}` })
  const responses = await Promise.all(toolIds.map(async (tool) => JSON.parse((await own(tool)).text)))
  const secrets = responses.flatMap(({ discordHook, secret, herokuEndpoint, hookUrl }) =>
    [discordHook, secret, herokuEndpoint, hookUrl].flatMap((text) => (text ? [String(text).split('/').at(-1)!] : [])),
  )
  expect(secrets).toHaveLength(4)
  let read = 0
  for (const row of rows.filter(({ method, statuses }) => method === 'GET' && statuses['key-read'] === 200))
    for (const tool of toolsOf(row)) {
      const url = await filled(row.url, tool)
      const { text } = await callers['key-read']({ method: 'GET', url })
      expect(
        secrets.filter((secret) => text.includes(secret)),
        url,
      ).toEqual([])
      read += 1
    }
  expect(read).toBeGreaterThan(20)
})
