import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Db } from '../../../src/platform/db/open.ts'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { type Milliseconds, seconds } from '../../../src/shared/time.ts'
import { fakeWeb } from '../fakes/fake-web.ts'
import { freePort } from '../free-port.ts'
import { adminEnv, signedInClient, startProcess } from '../process.ts'

type Storm = {
  entries: number
  kills: number
  env: Record<string, string>
  /** Opens another connection to the server's database. */
  open: () => Db
  random?: () => number
  /** The events to provoke, in order: all entries fail, then all recover. */
  types?: readonly ('entry.failing' | 'entry.recovered')[]
}
/** `reported`, `lost` and `twice` count failures and recoveries; `repeated`: messages not in flight at a kill. */
type Survived = { reported: number; lost: number; twice: number; repeated: number; forged: number }
type Received = { id: string; type: string; count: number }

const both = ['entry.failing', 'entry.recovered'] as const
const longest = seconds(180)
/** Long enough for all entries to run: they share one host and port, where only two visits run at a time. */
const intervalOf = (entries: number): Milliseconds => seconds(Math.max(3, Math.ceil(entries / 60)))

/** Makes all entries of a user fail together and then recover, while the server is killed at random moments. */
export async function channelStorm({
  entries,
  kills,
  env,
  open,
  random = Math.random,
  types = both,
}: Storm): Promise<Survived> {
  const web = await fakeWeb()
  // On a separate port: at the targets' port, calls would queue behind their visits.
  const hook = await fakeWeb()
  const received: Received[] = []
  let secret = ''
  let forged = 0
  let status = 503
  let onMessage = () => {}
  hook.on('/hook', async ({ headers, body }, response) => {
    try {
      new Webhook(secret).verify(body, headers)
    } catch {
      forged += 1
    }
    const { type, data } = JSON.parse(body)
    received.push({ id: headers['webhook-id'] ?? '', type, count: data.count })
    onMessage()
    // Slow enough that a kill can precede the response.
    await pause(200)
    response.end()
  })
  for (let n = 0; n < entries; n += 1)
    web.on(`/target/${n}`, (_visit, response) => void response.writeHead(status).end())
  const port = await freePort()
  const start = () =>
    startProcess({
      ...adminEnv,
      KEEPALIVE_EVERY: `${intervalOf(entries)}ms`,
      PORT: String(port),
      ...env,
    })
  let server = await start()
  const inFlight = new Set<string>()
  const kill = async () => {
    // Wait for a message or a random time, whichever comes first.
    await Promise.race([
      new Promise<void>((resolve) => {
        onMessage = resolve
      }),
      pause(200 + random() * 3_000),
    ])
    await server.end('SIGKILL')
    await releaseLeases(open)
    // Only now, since messages sent just before the kill may arrive a little later.
    const last = received.at(-1)
    if (last) inFlight.add(last.id)
    server = await start()
  }
  const reportedOf = (type: string) => [...firsts(received, type).values()].reduce((sum, count) => sum + count, 0)

  try {
    const call = await signedInClient(server.url)
    const { body } = await call<{ settings: { secret: string } }>('POST', '/api/v1/user/channels', {
      type: 'webhook',
      settings: { url: `${hook.origin}/hook` },
    })
    secret = body.settings.secret
    await insertEntries(open, entries, web.origin)
    let reported = 0
    let lost = 0
    let twice = 0
    for (const type of types) {
      status = type === 'entry.failing' ? 503 : 200
      for (let n = 0; n < kills / types.length; n += 1) await kill()
      const column = type === 'entry.failing' ? 'opened_at' : 'closed_at'
      const changes = await waitForMessages(async () => {
        const changes = await countIncidents(open, column)
        return { changes, left: Math.max(entries, changes) - reportedOf(type), seen: changes + reportedOf(type) }
      })
      reported += reportedOf(type)
      lost += Math.max(0, changes - reportedOf(type))
      twice += Math.max(0, reportedOf(type) - changes)
    }
    const ids = received.map(({ id }) => id)
    const repeated = ids.filter((id, index) => ids.indexOf(id) < index && !inFlight.has(id)).length
    return { reported, lost, twice, repeated, forged }
  } finally {
    await server.end('SIGKILL')
    await web.close()
    await hook.close()
  }
}

/** The distinct messages of a type: count by id. */
const firsts = (received: readonly Received[], type: string) =>
  new Map(received.filter((one) => one.type === type).map(({ id, count }) => [id, count]))

/** Releases the leases of a killed instance. */
async function releaseLeases(open: () => Db) {
  const db = open()
  await jobs(db, 'nobody', Date.now).releaseAll(Date.now())
  await db.close()
}

/** Inserts entries of the admin that are due now and that notify at the first failure. */
async function insertEntries(open: () => Db, count: number, origin: string) {
  const db = open()
  const { id: owner_id } = await db.q.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const at = Date.now()
  await db.q.transaction().execute(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      const id = `entry-${n}`
      const settings = JSON.stringify({ url: `${origin}/target/${n}`, interval: null })
      const entry = { id, tool: 'keepalive', owner_id, status: 1 as const, notify_after: 1, settings, address: null }
      await tx
        .insertInto('entry')
        .values({ ...entry, name: id, created_at: at, updated_at: at })
        .execute()
      await jobs(db, 'nobody', Date.now).plan({ id: `turn:${id}`, kind: 'turn', entryId: id, dueAt: at }, tx)
    }
  })
  await db.close()
}

async function countIncidents(open: () => Db, column: 'opened_at' | 'closed_at'): Promise<number> {
  const db = open()
  const rows = await db.q.selectFrom('incident').select('id').where(column, 'is not', null).execute()
  await db.close()
  return rows.length
}

/** Waits until nothing is left, or nothing new arrives for 3 min (messages are a minute apart). Returns the changes. */
async function waitForMessages(look: () => Promise<{ changes: number; left: number; seen: number }>): Promise<number> {
  let last = { ...(await look()), since: performance.now() }
  while (last.left > 0 && performance.now() - last.since < longest) {
    await pause(seconds(0.5))
    const now = await look()
    last = { ...now, since: now.seen > last.seen ? performance.now() : last.since }
  }
  return last.changes
}
