import { setTimeout as pause } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../../src/shared/time.ts'
import { signatureOf } from '../../src/tools/herokudiscordwebhook/hook.ts'
import type { FakeDiscord, FakeHook } from '../support/fakes/fake-discord.ts'
import { release } from '../support/scenes/relay/relay.ts'

/** Calls the API with a key. Returns status 0 if there was no response. */
export type Call = (method: string, path: string, body?: object, server?: string) => Promise<Answer>
type Answer = { status: number; headers: Headers; body: unknown }

/** Counts of what was acknowledged, and of it what was lost or repeated; `wrong` lists further mistakes. */
type Audit = { acknowledged: number; lost: number; repeated: number; wrong: string[] }

const clientTimeout: Milliseconds = seconds(25)
const tags = ['one', 'two', 'three']

/** Sends a request and reads the body. Returns status 0 if there was no response in time. */
export async function ask(url: string, init: RequestInit = {}, patience = clientTimeout): Promise<Answer> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(patience) })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  } catch {
    return { status: 0, headers: new Headers(), body: undefined }
  }
}

type Relay = { hook: FakeHook; path: string; secret: string }
type Scene = {
  /** URLs of the instances, which receive requests in turn. */
  servers: () => readonly string[]
  call: Call
  discord: FakeDiscord
  relays: readonly Relay[]
  /** The id of a paused entry that is edited repeatedly. */
  edited: string
}

/** Sends views, reads, edits and events at a steady rate, and records every outcome. */
export function startLoad({ servers, call, discord, relays, edited }: Scene) {
  const views = new Map(tags.map((tag) => [tag, { sent: 0, numbers: [] as number[] }]))
  const edits = { sent: 0, acknowledged: 0, count: 0 }
  const events = relays.map(() => ({ accepted: [] as { version: number; at: number }[] }))
  /** Events that may be repeated, since they were in flight during a failure. */
  const excused: Set<string> = new Set()
  const refusals = new Map<string, number>()
  /** The number of messages before the current failure began. */
  let troubledFrom: number | undefined
  let going = true
  let turn = 0
  const next = () => servers()[turn++ % servers().length]!
  const noteRefusal = (what: string, { status, body }: Answer) => {
    const text = typeof body === 'string' ? body.replace(/<[^>]*>/g, ' ').trim() : String(Object(body).error)
    const key = `${what} ${status} ${status === 0 ? '' : text}`.trim()
    refusals.set(key, (refusals.get(key) ?? 0) + 1)
  }
  const loop = async (every: Milliseconds, step: () => Promise<void>) => {
    while (going) {
      await step()
      await pause(every)
    }
  }

  const look = async (tag: string) => {
    const counted = views.get(tag)!
    counted.sent += 1
    const answer = await ask(`${next()}/api/v1/analyticsbadge/${tag}`)
    if (answer.status === 200) counted.numbers.push(Number(answer.headers.get('x-views')))
    else noteRefusal('view', answer)
  }
  const read = async () => {
    const answer = await call('GET', '/api/v1/keepalive/list', undefined, next())
    if (answer.status !== 200) noteRefusal('read', answer)
  }
  const edit = async () => {
    edits.sent += 1
    const interval = edits.sent
    const answer = await call('PATCH', '/api/v1/keepalive/', { id: edited, interval }, next())
    if (answer.status !== 200) return noteRefusal('edit', answer)
    edits.acknowledged = interval
    edits.count += 1
  }
  /** Delivers an event until it is accepted, as Heroku does. */
  const deliver = async (index: number, version: number) => {
    const { path, secret } = relays[index]!
    const body = JSON.stringify(release(version))
    const headers = { 'heroku-webhook-hmac-sha256': signatureOf(secret, Buffer.from(body)) }
    while (going) {
      const answer = await ask(next() + path, { method: 'POST', headers, body })
      if (answer.status === 204) return void events[index]!.accepted.push({ version, at: performance.now() })
      noteRefusal('event', answer)
      await pause(100)
    }
  }
  const heroku = async (index: number) => {
    let version = 0
    await loop(1_000, async () => {
      version += 1
      await deliver(index, version)
    })
  }

  const loops = [
    ...tags.flatMap((tag) => [loop(60, () => look(tag)), loop(60, () => look(tag))]),
    ...Array.from({ length: 4 }, () => loop(150, read)),
    loop(500, edit),
    ...relays.map((_, index) => heroku(index)),
  ]

  const versionsOf = ({ hook }: Relay) => discord.postedTitles(hook).map(versionIn)
  const excuseNewest = () => {
    for (const relay of relays) excused.add(`${relay.hook.id} ${versionsOf(relay).at(-1) ?? 0}`)
  }
  const recovered = () => {
    for (const { hook, message } of discord.posted.slice(troubledFrom ?? Number.POSITIVE_INFINITY))
      excused.add(`${hook} ${versionIn(message.embeds?.[0]?.title)}`)
    troubledFrom = undefined
  }
  const undelivered = (index: number) => {
    const delivered = new Set(versionsOf(relays[index]!))
    return events[index]!.accepted.filter(({ version }) => !delivered.has(version))
  }

  return {
    /** How long the oldest accepted event has been waiting for its message. */
    relayBacklog(): Milliseconds {
      const waiting = relays.flatMap((_, index) => undelivered(index).map(({ at }) => at))
      return waiting.length === 0 ? 0 : performance.now() - Math.min(...waiting)
    },
    /** Excuses repeats of what is in flight: the newest event of each webhook. */
    excuseNewest,
    /** Also excuses everything that arrives until the recovery. */
    excuseUntilRecovered() {
      excuseNewest()
      troubledFrom ??= discord.posted.length
    },
    recovered,
    /** Counts of unsuccessful responses by `what status error`. */
    refusals,
    /** Stops the load, waits until accepted events have arrived, and compares. */
    async audit(longest: Milliseconds): Promise<Audit> {
      going = false
      await Promise.all(loops)
      recovered()
      const until = performance.now() + longest
      while (performance.now() < until && relays.some((_, index) => undelivered(index).length > 0)) await pause(100)
      const wrong: string[] = []
      let [lost, repeated] = [0, 0]
      for (const [tag, { sent, numbers }] of views) {
        const { body } = await call('GET', `/api/v1/analyticsbadge/${tag}/stats`)
        const total = Number(Object(body).views)
        const twice = numbers.length - new Set(numbers).size
        repeated += twice
        if (twice > 0) wrong.push(`${twice} numbers of a badge were told twice`)
        const missing = Math.max(numbers.length, ...numbers) - total
        if (Number.isNaN(missing)) wrong.push('the badges could not be read')
        lost += Math.max(0, missing || 0)
        if (total > sent) wrong.push(`${total} views were counted of ${sent}`)
      }
      const { interval } = Object((await call('GET', `/api/v1/keepalive?id=${edited}`)).body)
      if (!(interval >= edits.acknowledged)) lost += 1
      if (interval > edits.sent) wrong.push('an edit that nobody made')
      for (const [index, relay] of relays.entries()) {
        const versions = versionsOf(relay)
        const firsts = [...new Set(versions)]
        const duplicates = versions.filter((version, at) => versions.indexOf(version) < at)
        const unexcused = duplicates.filter((version) => !excused.has(`${relay.hook.id} ${version}`))
        lost += undelivered(index).length
        repeated += duplicates.length
        if (unexcused.length > 0) wrong.push(`${unexcused.length} events came twice that were not in flight`)
        const disorder = firsts.filter((version, at) => version < (firsts[at - 1] ?? 0)).length
        if (disorder > 0) wrong.push(`${disorder} events came out of order`)
      }
      wrong.push(...new Set(discord.faults))
      const acknowledged =
        [...views.values()].reduce((sum, { numbers }) => sum + numbers.length, edits.count) +
        events.reduce((sum, { accepted }) => sum + accepted.length, 0)
      return { acknowledged, lost, repeated, wrong }
    },
  }
}
export type Load = ReturnType<typeof startLoad>

const versionIn = (title: unknown) => Number(/v(\d+)/.exec(String(title))?.[1])
