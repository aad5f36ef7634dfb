import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fakeWeb, type Visit } from './fake-web.ts'

export type FakeHook = { id: string; token: string; url: string }
type Posted = { hook: string; thread: string | null; message: Message }
/** A message as the channel shows it, with all edits applied. */
type Shown = Posted & { id: string; edits: number }
type Message = {
  username?: string
  content?: string | null
  embeds?: Record<string, unknown>[]
  allowed_mentions?: { parse?: unknown[] }
}

/** How a webhook responds. `ban` imitates the firewall in front of Discord, which does not return JSON. */
export type Answer =
  | 'ok'
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'unknown'
  /** When a message is edited or deleted. */
  | 'unknown message'
  | 'broken'
  | 'hang'
  /** Processes the request, but never responds. */
  | 'slow and lost'
  | 'reset'
  | { slow: number }
  | { limited: { retryAfter: number; header?: number; global?: boolean } }
  | { ban: { retryAfter?: number } }
  /** Accepts the message, but reports that the rate limit is used up for this many seconds. */
  | { last: number }
  /** An undocumented response, byte for byte. */
  | { odd: { status: number; body: string; headers?: Record<string, string> } }
  /** Rejects embeds, as if they broke an undocumented rule. */
  | 'plain only'

/** Discord's webhooks on loopback: API version 10 with its documented limits and errors. */
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
    const available = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-bucket': hook.id }
    const none = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': String(rests) }
    const headers = rests === undefined ? available : { ...available, ...none }
    if (visit.method === 'DELETE') return void response.writeHead(204, headers).end()
    json(response, 200, { id, ...message }, headers)
  }

  return {
    env: { DISCORD_URL: web.origin },
    calls: web.visits,
    posted,
    /** Violations of Discord's documented rules by the caller. */
    faults,
    /** The embed titles, or else the contents, of the messages that this webhook accepted. */
    postedTitles: (hook: FakeHook) =>
      posted.filter((one) => one.hook === hook.id).map(({ message }) => message.embeds?.[0]?.title ?? message.content),
    /** This webhook's messages as the channel shows them now, with edits and without deleted ones. */
    currentMessages: (hook: FakeHook) => channel.filter((one) => one.hook === hook.id),
    clear(hook: FakeHook) {
      channel = channel.filter((one) => one.hook !== hook.id)
    },
    /** Creates a webhook, or serves a known one. Type 1 accepts messages. */
    webhook(type = 1, existing?: Pick<FakeHook, 'id' | 'token'>): FakeHook {
      const id = existing?.id ?? String(serial++)
      const token = existing?.token ?? randomBytes(51).toString('base64url')
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
    /** Sets the webhook's next responses; the last one repeats. */
    answers: (hook: FakeHook, ...answers: Answer[]) => void scripts.set(hook.id, answers),
    /** Deletes the webhook: GET requests also return 404. */
    remove(hook: FakeHook) {
      for (const end of ['', '/messages/*']) web.on(`/api/v10/webhooks/${hook.id}/${hook.token}${end}`, answerUnknown)
    },
    /** Makes the token of this URL wrong. */
    revoke(hook: FakeHook) {
      for (const end of ['', '/messages/*'])
        web.on(`/api/v10/webhooks/${hook.id}/${hook.token}${end}`, (_, response) => json(response, 401, wrongToken))
    },
    /** Resets connections that look up the webhook. */
    silence: (hook: FakeHook) => web.on(`/api/v10/webhooks/${hook.id}/${hook.token}`, 'reset'),
    hanging: () => hanging.size,
    /** Resets the connections of hanging requests. */
    resetHanging() {
      for (const response of hanging) response.socket?.resetAndDestroy()
      hanging.clear()
    },
    denyHanging() {
      for (const response of hanging) json(response, 404, unknownWebhook)
      hanging.clear()
    },
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

const answerUnknown = (_visit: Visit, response: ServerResponse) => json(response, 404, unknownWebhook)
const unknownMessage = { message: 'Unknown Message', code: 10008 }
const wrongToken = { message: 'Invalid Webhook Token', code: 50027 }
const unknownWebhook = { message: 'Unknown Webhook', code: 10015 }

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

type Refusal = { status: number; body: unknown; headers?: Record<string, string> }

/** The error to return, if any. `message` is undefined for a deletion. */
function errorOf(answer: Answer, message: Message | undefined): Refusal | undefined {
  if (answer === 'unknown') return { status: 404, body: unknownWebhook }
  if (answer === 'unknown message') return { status: 404, body: unknownMessage }
  if (answer === 'unauthorized') return { status: 401, body: wrongToken }
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

/** The part of a message that exceeds a documented limit or is missing. */
function wrongIn({ username, content, embeds = [] }: Message): string | undefined {
  const texts = embeds.map(textsOf)
  const invalid = texts.flatMap((all) => all.filter(([, text, most]) => text.length === 0 || text.length > most))
  if (invalid[0]) return invalid[0][0]
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
