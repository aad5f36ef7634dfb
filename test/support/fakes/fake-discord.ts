import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fakeWeb, type Visit } from './fake-web.ts'

export type FakeHook = { id: string; token: string; url: string }
/** A message that was posted, with the webhook and the thread it went to. */
type Posted = { hook: string; thread: string | null; message: Message }
/** A message as the channel shows it, after all its edits. */
type Shown = Posted & { id: string; edits: number }
type Message = {
  username?: string
  content?: string | null
  embeds?: Record<string, unknown>[]
  allowed_mentions?: { parse?: unknown[] }
}

/** What a webhook answers instead of taking the message. `ban` is the firewall in front of Discord, which speaks no JSON. */
export type Answer =
  | 'ok'
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'unknown'
  /** Of a message that is edited or deleted. */
  | 'unknown message'
  | 'broken'
  | 'hang'
  /** Does what it was asked to, and its answer hangs. */
  | 'slow and lost'
  | 'reset'
  | { slow: number }
  | { limited: { retryAfter: number; header?: number; global?: boolean } }
  | { ban: { retryAfter?: number } }
  /** Takes it, and says that this was the last one for so many seconds. */
  | { last: number }
  /** Something that its documents do not name, byte for byte. */
  | { odd: { status: number; body: string; headers?: Record<string, string> } }
  /** Takes no embeds, as far as its own rules go beyond the documented ones. */
  | 'plain only'

/** The webhooks of Discord on loopback: version 10 of its API, its limits and its errors as documented. */
export async function fakeDiscord() {
  const web = await fakeWeb()
  const scripts = new Map<string, Answer[]>()
  const posted: Posted[] = []
  let channel: Shown[] = []
  const faults: string[] = []
  const inFlight = new Map<string, number>()
  const hanging = new Set<ServerResponse>()
  let serial = 100_000_000_000_000_000n

  const take = async (hook: FakeHook, visit: Visit, response: ServerResponse) => {
    const url = new URL(visit.path, web.origin)
    const thread = url.searchParams.get('thread_id')
    const isNew = visit.method === 'POST'
    const message = (visit.method === 'DELETE' ? {} : JSON.parse(visit.body)) as Message
    if (!/^DiscordBot \(https?:\/\/\S+, \d[\w.-]*\)$/.test(visit.headers['user-agent'] ?? '')) faults.push('User-Agent')
    if (isNew !== (url.searchParams.get('wait') === 'true')) faults.push('wait')
    if (!isNew && 'username' in message) faults.push('username of an edit')
    if (visit.method !== 'DELETE' && JSON.stringify(message.allowed_mentions?.parse) !== '[]')
      faults.push('allowed_mentions')
    const answer = next(scripts.get(hook.id))
    if (answer === 'hang') return void hanging.add(response)
    if (answer === 'reset') return void response.socket?.resetAndDestroy()
    if (typeof answer === 'object' && 'slow' in answer) await wait(answer.slow)
    if (typeof answer === 'object' && 'odd' in answer) {
      const { status, body, headers } = answer.odd
      return void response.writeHead(status, headers).end(body)
    }
    const old = isNew
      ? undefined
      : channel.find(({ id, ...at }) => visit.path.includes(`/messages/${id}`) && isAt(at, hook, thread))
    const all = visit.method === 'DELETE' ? undefined : { ...old?.message, ...message }
    const error = errorOf(answer, all) ?? (isNew || old ? undefined : errorOf('unknown message', all))
    if (error) return json(response, error.status, error.body, error.headers)
    const id = old?.id ?? String(serial++)
    if (isNew) posted.push({ hook: hook.id, thread, message })
    if (isNew) channel.push({ id, hook: hook.id, thread, message, edits: 0 })
    if (old) Object.assign(old, { message: { ...old.message, ...message }, edits: old.edits + 1 })
    if (visit.method === 'DELETE') channel = channel.filter((one) => one !== old)
    if (answer === 'slow and lost') return void hanging.add(response)
    const rests = typeof answer === 'object' && 'last' in answer ? answer.last : undefined
    const left = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-bucket': hook.id }
    const none = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': String(rests) }
    const headers = rests === undefined ? left : { ...left, ...none }
    if (visit.method === 'DELETE') return void response.writeHead(204, headers).end()
    json(response, 200, { id, ...message }, headers)
  }

  return {
    env: { DISCORD_URL: web.origin },
    /** Every call so far, oldest first. */
    calls: web.visits,
    /** Every message that was taken, oldest first. */
    posted,
    /** What a caller did that Discord's documents forbid. */
    faults,
    /** The titles of what was taken by this webhook, or its content. */
    said: (hook: FakeHook) =>
      posted.filter((one) => one.hook === hook.id).map(({ message }) => message.embeds?.[0]?.title ?? message.content),
    /** What the channel of this webhook shows now: neither deleted messages nor what others said before an edit. */
    shown: (hook: FakeHook) => channel.filter((one) => one.hook === hook.id),
    /** Somebody deletes all messages of this webhook. */
    clear(hook: FakeHook) {
      channel = channel.filter((one) => one.hook !== hook.id)
    },
    /** A webhook, new or one that is known already; of type 1 it takes messages. */
    webhook(type = 1, known?: Pick<FakeHook, 'id' | 'token'>): FakeHook {
      const id = known?.id ?? String(serial++)
      const token = known?.token ?? randomBytes(51).toString('base64url')
      const hook = { id, token, url: `https://discord.com/api/webhooks/${id}/${token}` }
      const answer = async (visit: Visit, response: ServerResponse) => {
        if (visit.method === 'GET') return json(response, 200, { id, type, token, name: 'Captain Hook' })
        const busy = (inFlight.get(id) ?? 0) + 1
        inFlight.set(id, busy)
        if (busy > 1) faults.push('two in flight')
        response.on('close', () => inFlight.set(id, (inFlight.get(id) ?? 1) - 1))
        await take(hook, visit, response)
      }
      web.on(`/api/v10/webhooks/${id}/${token}`, answer)
      web.on(`/api/v10/webhooks/${id}/${token}/messages/*`, answer)
      return hook
    },
    /** What this webhook answers, in turn; the last one stays. */
    answers: (hook: FakeHook, ...answers: Answer[]) => void scripts.set(hook.id, answers),
    /** Whoever deleted it: also the GET answers 404. */
    remove(hook: FakeHook) {
      for (const end of ['', '/messages/*']) web.on(`/api/v10/webhooks/${hook.id}/${hook.token}${end}`, gone)
    },
    /** What asks about it gets no answer. */
    silence: (hook: FakeHook) => web.on(`/api/v10/webhooks/${hook.id}/${hook.token}`, 'reset'),
    hanging: () => hanging.size,
    /** Breaks what hangs. */
    letGo() {
      for (const response of hanging) response.socket?.resetAndDestroy()
      hanging.clear()
    },
    /** Tells what hangs that there is no such webhook. */
    denyHanging() {
      for (const response of hanging) json(response, 404, unknownWebhook)
      hanging.clear()
    },
    /** Tells what hangs that its message was taken. */
    acceptHanging() {
      for (const response of hanging) json(response, 200, { id: String(serial++) })
      hanging.clear()
    },
    forget() {
      for (const list of [web.visits, posted, faults]) list.length = 0
      channel = []
    },
    close: web.close,
  }
}
export type FakeDiscord = Awaited<ReturnType<typeof fakeDiscord>>

const next = (answers: Answer[] = []): Answer => (answers.length > 1 ? answers.shift() : answers[0]) ?? 'ok'

const isAt = (at: Omit<Shown, 'id'>, hook: FakeHook, thread: string | null) =>
  at.hook === hook.id && at.thread === thread

const gone = (_visit: Visit, response: ServerResponse) => json(response, 404, unknownWebhook)
const unknownMessage = { message: 'Unknown Message', code: 10008 }
const unknownWebhook = { message: 'Unknown Webhook', code: 10015 }

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

type Refusal = { status: number; body: unknown; headers?: Record<string, string> }

/** Nothing is said when a message is deleted. */
function errorOf(answer: Answer, message: Message | undefined): Refusal | undefined {
  if (answer === 'unknown') return { status: 404, body: unknownWebhook }
  if (answer === 'unknown message') return { status: 404, body: unknownMessage }
  if (answer === 'unauthorized') return { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } }
  if (answer === 'forbidden') return { status: 403, body: { message: 'Missing Permissions', code: 50013 } }
  if (answer === 'broken') return { status: 500, body: { message: '500: Internal Server Error', code: 0 } }
  const wrong = message && wrongIn(message)
  if (answer === 'invalid' || wrong || (answer === 'plain only' && message?.embeds?.length))
    return { status: 400, body: { message: 'Invalid Form Body', code: 50035, errors: { wrong } } }
  if (typeof answer !== 'object') return undefined
  if ('ban' in answer) {
    const { retryAfter } = answer.ban
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    return { status: 429, body: 'error code: 1015', headers: { ...headers, 'content-type': 'text/html' } }
  }
  if (!('limited' in answer)) return undefined
  const { retryAfter, header = Math.ceil(retryAfter), global = false } = answer.limited
  const headers = { 'retry-after': String(header), ...(global ? { 'x-ratelimit-global': 'true' } : {}) }
  return { status: 429, body: { message: 'You are being rate limited.', retry_after: retryAfter, global }, headers }
}

/** What of a message is over a documented limit, or missing. */
function wrongIn({ username, content, embeds = [] }: Message): string | undefined {
  const texts = embeds.map(textsOf)
  const over = texts.flatMap((all) => all.filter(([, text, most]) => text.length === 0 || text.length > most))
  if (over[0]) return over[0][0]
  if (username !== undefined && (/discord|clyde|everyone|here/i.test(username) || username.length > 80))
    return 'username'
  if (content && content.length > 2_000) return 'content'
  if (!content && embeds.length === 0) return 'empty'
  if (embeds.length > 10) return 'embeds'
  if (embeds.some(({ fields }) => Array.isArray(fields) && fields.length > 25)) return 'fields'
  const all = texts.flat().reduce((sum, [, text]) => sum + text.length, 0)
  return all > 6_000 ? 'all embeds' : undefined
}

type Fields = { name: string; value: string }[]

function textsOf(embed: Record<string, unknown>): [string, string, number][] {
  const { title, description, footer, author, fields } = embed as {
    title?: string
    description?: string
    footer?: { text: string }
    author?: { name: string }
    fields?: Fields
  }
  const texts: [string, string | undefined, number][] = [
    ['title', title, 256],
    ['description', description, 4_096],
    ['footer', footer?.text, 2_048],
    ['author', author?.name, 256],
    ...(fields ?? []).flatMap(({ name, value }): [string, string, number][] => [
      ['field name', name, 256],
      ['field value', value, 1_024],
    ]),
  ]
  return texts.flatMap(([name, text, most]): [string, string, number][] =>
    text === undefined ? [] : [[name, text, most]],
  )
}
