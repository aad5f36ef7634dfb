import { Agent, request } from 'node:http'
import { type FuzzAnswer, fuzz } from '../fuzz/fuzz.ts'
import { operationsIn } from '../fuzz/operations.ts'
import { endsSession, type FuzzRequest } from '../fuzz/requests.ts'
import { times } from '../fuzz/values.ts'
import { signedInClient, signIn } from '../support/process.ts'
import { now } from './expectations.ts'
import type { Scenario } from './scenario.ts'
import type { Stage } from './stage.ts'

const rounds = 10
const lanes = 4
/** Fewer for PostgreSQL, which has more other faults to try. */
const requestsOfLane = { sqlite: 500, postgres: 250 }
/** The first rounds fill caches and compile code. */
const warmUp = 3
/** Maximum memory growth from the rounds after the warm-up to the last ones, in bytes. */
const flat = 48 * 2 ** 20

/** Sends 20,000 requests (PostgreSQL: half) by all kinds of callers; no response may be a 5xx or undescribed. */
export const hostileRequests: Scenario = {
  name: 'hostile requests',
  databases: ['sqlite', 'postgres'],
  limit: 15,
  async run(stage, { limit, random }) {
    const { url } = stage.running[0]!
    const agent = new Agent({ keepAlive: true })
    const operations = operationsIn((await stage.call('GET', '/api/v1/openapi.json')).body)
    const outsiders = await Promise.all(Array.from({ length: rounds }, (_, round) => callersOf(stage, url, round)))
    const memory: number[] = []
    let answered = 0
    for (const { callers, knownValues } of outsiders) {
      const run = async () => {
        await fuzz({
          operations,
          callers: Object.keys(callers) as (keyof typeof callers)[],
          knownValues,
          send: (one) => send(url, agent, one, endsSession(one) ? {} : callers[one.who]),
          count: requestsOfLane[stage.database],
          seed: Math.floor(random() * 2 ** 31),
          onAnswer: () => {
            answered += 1
          },
        })
      }
      for (const outcome of await Promise.allSettled(Array.from({ length: lanes }, run)))
        if (outcome.status === 'rejected') stage.wrong.push(String(outcome.reason))
      memory.push(await residentMemory(stage))
      if (stage.wrong.length > 0) break
    }
    agent.destroy()
    const [before, after] = [Math.min(...memory.slice(warmUp, warmUp + 2)), Math.min(...memory.slice(-2))]
    stage.noted.push(
      `${answered} requests, ${inMegabytes(before)} MB after the warm-up, ${inMegabytes(after)} MB at the end`,
    )
    stage.expect(after - before <= flat, `memory grew by ${inMegabytes(after - before)} MB`)
    return { tries: answered, seconds: await stage.recovered(now(), limit) }
  },
}

const inMegabytes = (bytes: number) => Math.round(bytes / 2 ** 20)

async function residentMemory(stage: Stage): Promise<number> {
  const { body } = await stage.call('GET', '/metrics')
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(String(body))?.[1])
}

type Headers = Record<string, string>

/** Creates the callers of one round, and the values they use. Callers may change or delete themselves in a round. */
async function callersOf(stage: Stage, url: string, round: number) {
  const admin = await signedInClient(url)
  const password = 'nineteen loud parrots'
  const make = async (name: string, roles: object) => {
    const credUsername = `${name}-${round}`
    const user = { email: `${credUsername}@example.com`, name, credUsername, password, roles }
    const answer = await admin<{ id: string }>('POST', '/api/v1/admin/user', user)
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return { id: answer.body.id, email: user.email, username: credUsername, password }
  }
  const [user, chief, victim] = [
    await make('user', { Tools: 1 }),
    await make('chief', { Admin: 2, Tools: 2 }),
    await make('victim', { Tools: 1 }),
  ]
  const wish = { name: 'key', scopes: ['read', 'write'], expiresAt: null }
  const { key } = (await (await signedInClient(url, chief))<{ key: string }>('POST', '/api/v1/user/apikeys', wish)).body
  const id = await stage.entry(`/fuzz/${round}`, '127.0.1.250', { status: false })
  const callers = {
    visitor: {},
    user: await signIn(url, user),
    chief: await signIn(url, chief),
    key: { authorization: `Bearer ${key}` },
  } satisfies Record<string, Headers>
  const knownValues = {
    id: [id, victim.id],
    email: [victim.email],
    username: [victim.username],
    owner: [victim.email, user.email],
    url: ['http://127.0.0.1:9/'],
    discordHook: [stage.discord.webhook().url],
    tag: ['fuzz'],
    zone: ['UTC', 'Europe/Berlin'],
    ...times,
  }
  return { callers, knownValues }
}

/** Sends a request unchanged. Of an endless response it reads only the headers. */
function send(server: string, agent: Agent, { operation, url, type, body }: FuzzRequest, headers: Headers) {
  const { promise, resolve, reject } = Promise.withResolvers<FuzzAnswer>()
  const sent = { ...headers, ...(type === undefined ? {} : { 'content-type': type }) }
  const length = body ? { 'content-length': body.length } : {}
  const { hostname, port } = new URL(server)
  const options = { hostname, port, agent, path: url, method: operation.method, headers: { ...sent, ...length } }
  const call = request(options, async (answer) => {
    const mime = String(answer.headers['content-type'])
    const status = answer.statusCode ?? 0
    if (mime.startsWith('text/event-stream')) {
      call.destroy()
      return resolve({ status, type: mime, text: '' })
    }
    const chunks = await answer.toArray().catch(() => [])
    resolve({ status, type: mime, text: Buffer.concat(chunks).toString() })
  })
  call.on('error', reject)
  call.end(body)
  return promise
}
