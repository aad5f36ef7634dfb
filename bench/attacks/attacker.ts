import { Agent, type IncomingMessage, request } from 'node:http'
import { buildPost } from '../relay/posts.ts'
import { serve } from '../stage/process.ts'

/** Requests sent repeatedly over this number of connections; each connection sends the next one once it is answered. */
export type Flood = { port: number; connections: number } & (
  | { kind: 'events'; path: string }
  | { kind: 'new tags'; from: string }
  /** Without `username`, each guess uses a new one. */
  | { kind: 'guesses'; from: string; username?: string }
  | { kind: 'runs'; ids: readonly string[]; headers: Record<string, string> }
)
/** The number of responses by status, and how many of the 429s had a Retry-After. */
export type Answers = { statuses: Record<number, number>; saidWhen: number }
type Message = { method?: string; path: string; headers: Record<string, string | number>; body?: string }

const json = { 'content-type': 'application/json' }
let serial = 0

function messageOf(flood: Flood): Message {
  serial += 1
  if (flood.kind === 'events') return { method: 'POST', ...buildPost(flood.path) }
  if (flood.kind === 'runs') {
    const id = flood.ids[serial % flood.ids.length]
    return { method: 'POST', path: `/api/v1/keepalive/run?id=${id}`, headers: flood.headers }
  }
  const headers = { 'x-forwarded-for': flood.from }
  if (flood.kind === 'new tags') return { path: `/api/v1/analyticsbadge/attack_${serial}`, headers }
  const { username = `name${serial}` } = flood
  const body = JSON.stringify({ username, password: `wrong password ${serial}` })
  return { method: 'POST', path: '/api/auth/sign-in/username', headers: { ...headers, ...json }, body }
}

let isOver = false

async function flood(one: Flood): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: one.connections })
  const answers: Answers = { statuses: {}, saidWhen: 0 }
  const keepSending = async () => {
    while (!isOver) {
      const { statusCode = 0, headers } = await send(one.port, agent, messageOf(one))
      answers.statuses[statusCode] = (answers.statuses[statusCode] ?? 0) + 1
      if (statusCode === 429 && Number(headers['retry-after']) > 0) answers.saidWhen += 1
    }
  }
  await Promise.all(Array.from({ length: one.connections }, keepSending))
  agent.destroy()
  return answers
}

function send(port: number, agent: Agent, { body, ...message }: Message): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, agent, ...message }, (answer) => answer.resume().on('end', () => resolve(answer)))
      .on('error', reject)
      .end(body)
  })
}

let all: Promise<Answers[]> = Promise.resolve([])

const api = {
  begin(floods: readonly Flood[]) {
    all = Promise.all(floods.map(flood))
  },
  end() {
    isOver = true
    return all
  },
}
export type Attacker = typeof api

serve(api)
