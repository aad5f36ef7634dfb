import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Db } from '../../../src/platform/db/open.ts'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { type Milliseconds, seconds } from '../../../src/shared/time.ts'
import { fakeWeb } from '../fakes/fake-web.ts'
import { freePort } from '../free-port.ts'
import { adminEnv, signedIn, startProcess } from '../process.ts'

type Storm = {
  entries: number
  kills: number
  env: Record<string, string>
  /** Opens the database of the server beside it. */
  open: () => Db
  random?: () => number
  /** What is told: that all entries fail, and also that they work again. */
  types?: readonly ('entry.failing' | 'entry.recovered')[]
}
/** How many failures and recoveries were told, how many by nobody, by several messages, and in messages that came again although they were not in flight at a kill. */
type Survived = { told: number; lost: number; twice: number; again: number; forged: number }
type Received = { id: string; type: string; count: number }

const both = ['entry.failing', 'entry.recovered'] as const
const longest = seconds(180)
/** At their host and port there are two places at once. */
const intervalOf = (entries: number): Milliseconds => seconds(Math.max(3, Math.ceil(entries / 60)))

/** All entries of a user begin to fail at once, and then to work again, while the server is killed at any moment. */
export async function channelStorm({
  entries,
  kills,
  env,
  open,
  random = Math.random,
  types = both,
}: Storm): Promise<Survived> {
  const web = await fakeWeb()
  // On a port of its own, since it would wait for a place among all the targets.
  const hook = await fakeWeb()
  const received: Received[] = []
  let secret = ''
  let forged = 0
  let status = 503
  let heard = () => {}
  hook.on('/hook', async ({ headers, body }, response) => {
    try {
      new Webhook(secret).verify(body, headers)
    } catch {
      forged += 1
    }
    const { type, data } = JSON.parse(body)
    received.push({ id: headers['webhook-id'] ?? '', type, count: data.count })
    heard()
    // Long enough to be killed before the answer is known.
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
    // A message comes, or some time passes: whichever is first.
    await Promise.race([
      new Promise<void>((resolve) => {
        heard = resolve
      }),
      pause(200 + random() * 3_000),
    ])
    await server.end('SIGKILL')
    await inherit(open)
    // Only now, since what was sent right before may be read a little later.
    const last = received.at(-1)
    if (last) inFlight.add(last.id)
    server = await start()
  }
  const toldOf = (type: string) => [...firsts(received, type).values()].reduce((sum, count) => sum + count, 0)

  try {
    const call = await signedIn(server.url)
    const { body } = await call<{ settings: { secret: string } }>('POST', '/api/v1/user/channels', {
      type: 'webhook',
      settings: { url: `${hook.origin}/hook` },
    })
    secret = body.settings.secret
    await insertEntries(open, entries, web.origin)
    let told = 0
    let lost = 0
    let twice = 0
    for (const type of types) {
      status = type === 'entry.failing' ? 503 : 200
      for (let n = 0; n < kills / types.length; n += 1) await kill()
      const column = type === 'entry.failing' ? 'opened_at' : 'closed_at'
      const changes = await lasting(async () => {
        const changes = await decided(open, column)
        return { changes, left: Math.max(entries, changes) - toldOf(type), seen: changes + toldOf(type) }
      })
      told += toldOf(type)
      lost += Math.max(0, changes - toldOf(type))
      twice += Math.max(0, toldOf(type) - changes)
    }
    const ids = received.map(({ id }) => id)
    const again = ids.filter((id, index) => ids.indexOf(id) < index && !inFlight.has(id)).length
    return { told, lost, twice, again, forged }
  } finally {
    await server.end('SIGKILL')
    await web.close()
    await hook.close()
  }
}

/** Each message once. */
const firsts = (received: readonly Received[], type: string) =>
  new Map(received.filter((one) => one.type === type).map(({ id, count }) => [id, count]))

/** What a killed instance had leased is free at once. */
async function inherit(open: () => Db) {
  const db = open()
  await jobs(db, 'nobody', Date.now).releaseAll(Date.now())
  await db.close()
}

/** Entries of the admin that are due now and whose first failure counts. */
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

/** How many incidents were opened, or closed. */
async function decided(open: () => Db, column: 'opened_at' | 'closed_at'): Promise<number> {
  const db = open()
  const rows = await db.q.selectFrom('incident').select('id').where(column, 'is not', null).execute()
  await db.close()
  return rows.length
}

/** Waits until nothing is left, or nothing new was seen for three minutes: messages come a minute apart. Answers the changes. */
async function lasting(look: () => Promise<{ changes: number; left: number; seen: number }>): Promise<number> {
  let last = { ...(await look()), since: performance.now() }
  while (last.left > 0 && performance.now() - last.since < longest) {
    await pause(seconds(0.5))
    const now = await look()
    last = { ...now, since: now.seen > last.seen ? performance.now() : last.since }
  }
  return last.changes
}
