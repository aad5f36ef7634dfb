import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { fakeWeb, type Visit } from './fake-web.ts'

/** How a service responds: as documented, or with this status and body. */
type Script = 'ok' | 'limited' | 'gone' | 'broken' | 'hang' | 'reset' | { status: number; body: string }
type Received = { service: string; headers: Visit['headers']; body: Record<string, unknown> }
type Refusal = { status: number; body: string | object; headers?: Record<string, string> }

/** Slack, ntfy, Telegram and a receiver of Standard Webhooks on loopback, with their documented errors. */
export async function fakeServices() {
  const web = await fakeWeb()
  const received: Received[] = []
  const faults: string[] = []
  const scripts = new Map<string, Script[]>()

  const serve = (service: string, path: string, rules: Rules) =>
    web.on(path, (visit, response) => {
      const script = next(scripts.get(service))
      if (script === 'hang') return
      if (script === 'reset') return void response.socket?.resetAndDestroy()
      const body = jsonOf(visit.body)
      const wrong = body === undefined ? 'no JSON' : rules.wrong(body, visit)
      if (wrong) faults.push(`${service}: ${wrong}`)
      const refusal = typeof script === 'object' ? script : wrong ? rules.invalid(wrong) : rules[script]
      if (refusal) return answer(response, refusal)
      received.push({ service, headers: visit.headers, body: body ?? {} })
      answer(response, { status: 200, body: rules.accepts(body ?? {}) })
    })

  return {
    origin: web.origin,
    env: { TELEGRAM_URL: web.origin },
    received,
    /** Violations of the documented rules by the caller. */
    faults,
    visits: web.visits,
    /** Sets the service's next responses; the last one repeats. */
    answers: (service: string, ...answers: Script[]) => void scripts.set(service, answers),
    slack(path = '/services/T000/B000/secretsecretsecret') {
      serve('slack', path, slackRules)
      return { url: web.origin + path }
    },
    ntfy(token?: string) {
      serve('ntfy', '/', ntfyRules(token))
      return { url: `${web.origin}/alerts`, ...(token && { token }) }
    },
    telegram(token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', chat = '-1001234567890') {
      serve('telegram', `/bot${token}/sendMessage`, telegramRules)
      return { token, chat }
    },
    webhook(secretOf: () => string, path = '/hooks/toolbox') {
      serve('webhook', path, webhookRules(secretOf))
      return { url: web.origin + path }
    },
    forget() {
      for (const list of [received, faults, web.visits]) list.length = 0
      scripts.clear()
    },
    close: web.close,
  }
}
export type FakeServices = Awaited<ReturnType<typeof fakeServices>>

type Body = Record<string, unknown>
type Rules = {
  /** The part of a message that violates the documented rules. */
  wrong: (body: Body, visit: Visit) => string | undefined
  invalid: (wrong: string) => Refusal
  ok: undefined
  limited: Refusal
  gone: Refusal
  broken: Refusal
  accepts: (body: Body) => string | object
}

const slackRules: Rules = {
  wrong: ({ text }) => (typeof text === 'string' && text !== '' && text.length <= 40_000 ? undefined : 'no_text'),
  invalid: () => ({ status: 400, body: 'invalid_payload' }),
  ok: undefined,
  limited: { status: 429, body: 'rate_limited', headers: { 'retry-after': '30' } },
  gone: { status: 404, body: 'no_service' },
  broken: { status: 500, body: 'rollup_error' },
  accepts: () => 'ok',
}

const ntfyError = (code: number, error: string) => ({
  code,
  http: Math.floor(code / 100),
  error,
  link: 'https://ntfy.sh/docs/publish/',
})

const ntfyRules = (token: string | undefined): Rules => ({
  wrong(body, { headers }) {
    const { topic, message, priority, tags } = body
    if (!/^[-\w]{1,64}$/.test(String(topic))) return 'topic'
    if (typeof message !== 'string' || Buffer.byteLength(message) > 4_096) return 'message'
    if (priority !== undefined && ![1, 2, 3, 4, 5].includes(Number(priority))) return 'priority'
    if (tags !== undefined && !Array.isArray(tags)) return 'tags'
    return token !== undefined && headers.authorization !== `Bearer ${token}` ? 'unauthorized' : undefined
  },
  invalid: (wrong) =>
    wrong === 'unauthorized'
      ? { status: 401, body: ntfyError(40_101, 'unauthorized') }
      : { status: 400, body: ntfyError(40_009, `invalid request: ${wrong}`) },
  ok: undefined,
  limited: { status: 429, body: ntfyError(42_901, 'limit reached: too many requests, please be nice') },
  gone: { status: 403, body: ntfyError(40_301, 'forbidden') },
  broken: { status: 507, body: ntfyError(50_701, 'cannot send PUT request, server storage limit reached') },
  accepts: (body) => ({ id: 'xE73Iyuabi', time: 1, event: 'message', ...body }),
})

const telegramError = (code: number, description: string, parameters?: object) => ({
  status: code,
  body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
})

const telegramRules: Rules = {
  wrong({ chat_id, text }) {
    if (chat_id === undefined) return 'chat_id is empty'
    if (typeof text !== 'string' || text === '') return 'message text is empty'
    return text.length > 4_096 ? 'message is too long' : undefined
  },
  invalid: (wrong) => telegramError(400, `Bad Request: ${wrong}`),
  ok: undefined,
  limited: telegramError(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
  gone: telegramError(403, 'Forbidden: bot was kicked from the group chat'),
  broken: { status: 502, body: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } },
  accepts: (body) => ({ ok: true, result: { message_id: 1, ...body } }),
}

const webhookRules = (secretOf: () => string): Rules => ({
  wrong(_body, { headers, body }) {
    const [id = '', at = ''] = [headers['webhook-id'], headers['webhook-timestamp']]
    // The library's `verify` uses the machine's clock, but tests use their own.
    const signed = new Webhook(secretOf()).sign(id, new Date(Number(at) * 1_000), body)
    return signed === headers['webhook-signature'] && id !== '' ? undefined : 'signature'
  },
  invalid: (wrong) => ({ status: 401, body: wrong }),
  ok: undefined,
  limited: { status: 429, body: '', headers: { 'retry-after': '120' } },
  gone: { status: 410, body: 'gone' },
  broken: { status: 503, body: 'try later' },
  accepts: () => '',
})

const next = (answers: Script[] = []): Script => (answers.length > 1 ? answers.shift() : answers[0]) ?? 'ok'

function jsonOf(text: string): Body | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function answer(response: ServerResponse, { status, body, headers = {} }: Refusal) {
  const isText = typeof body === 'string'
  response
    .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    .end(isText ? body : JSON.stringify(body))
}
