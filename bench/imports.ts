import { openAsBlob, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../src/shared/time.ts'
import { admin, signedInClient, signIn } from '../test/support/process.ts'
import type { Blocked } from './stage/blocked.ts'
import { start } from './stage/process.ts'
import { openScene } from './stage/scene.ts'
import { atMost, type Row } from './table.ts'

const size = 20 * 1_024 * 1_024
const filled = (text: string, before = '', behind = '') =>
  before + text.repeat(Math.floor((size - before.length - behind.length) / text.length)) + behind
const own = '{"format":"toolbox-user","version":1,"entries":['
const many = (entry: (n: number) => string) => `${own}${Array.from({ length: 5_000 }, (_, n) => entry(n)).join()}]}`
const entryOf = (n: number, more: string) => `{"tool":"keepalive","url":"https://host${n}.example/",${more}}`
const files: readonly [type: string, file: () => string][] = [
  ['text/plain', () => filled('\r')],
  ['text/plain', () => `${filled('\n', '', 'x')}`],
  ['text/csv', () => filled(',')],
  ['text/csv', () => filled(`${','.repeat(98_999)}\n`, 'url\n')],
  ['text/csv', () => filled('"', 'url\n')],
  ['text/csv', () => `url,tool\n${'a,b\n'.repeat(5_000)}`],
  ['application/json', () => filled('{},', '{"format":[', '{}]}')],
  ['application/json', () => filled('\\"', '{"')],
  ['application/json', () => filled('\\"', '{"a')],
  ['application/json', () => many((n) => entryOf(n, `"name":"${'x'.repeat(3_900)}"`))],
  ['application/json', () => many((n) => entryOf(n, Array.from({ length: 200 }, (_, m) => `"k${n}_${m}":[]`).join()))],
  ['text/plain', () => Array.from({ length: 5_000 }, (_, n) => `https://${n}.example/${'x'.repeat(4_000)}`).join('\n')],
]

/** Memory and other users' waits during 20 MB imports. Limit: the wait at a server blocked for 100 ms at a time. */
export async function imports(): Promise<Row[]> {
  const scene = await openScene()
  const { email, username, password } = admin
  const variables = { ADMIN_EMAIL: email, ADMIN_USERNAME: username, ADMIN_PASSWORD: password }
  const server = await scene.server(variables)
  const blocked = await start<Blocked>('stage/blocked.ts')
  const blockedUrl = `http://127.0.0.1:${await blocked.ask('port')}/`
  // Written in advance and read while sent, because generating them would delay the measuring process.
  const hostile = await Promise.all(
    files.map(async ([type, text], index) => {
      const path = join(scene.folder, `hostile-${index}`)
      writeFileSync(path, text())
      return openAsBlob(path, { type })
    }),
  )
  // One user sends every file three times, to detect leaks. Then two users each send a file at the same time.
  const steps = [
    ...[...hostile, ...hostile, ...hostile].map((file) => [file]),
    ...hostile.map((file, index) => [file, hostile[(index + 1) % hostile.length]!]),
  ]
  try {
    const senders = [await signIn(scene.siteUrl), await secondUser(scene.siteUrl)]
    await after(seconds(2))
    const { rss: idle } = await server.measured()
    let [longest, limit, most] = [0, 0, idle]
    for (const step of steps) {
      let isOver = false
      const work = Promise.all(step.map((file, index) => send(scene.siteUrl, senders[index]!, file))).finally(() => {
        isOver = true
      })
      while (!isOver) {
        longest = Math.max(longest, await waitAt(`${scene.siteUrl}/healthz`))
        limit = Math.max(limit, await waitAt(blockedUrl))
        most = Math.max(most, (await server.measured()).rss)
        await after(10)
      }
      await work
    }
    const measured = `${steps.flat().length} hostile files of up to 20 MB, of them ${2 * hostile.length} in pairs`
    return [
      atMost(
        'hostile imports: longest wait of others',
        longest,
        limit,
        'ms',
        `${measured}; limit: waits at a server blocked for 100 ms`,
      ),
      atMost('hostile imports: memory above idle', (most - idle) / 1e6, 150, 'MB', measured),
    ]
  } finally {
    await blocked.end()
    await server.end()
    scene.close()
  }
}

async function secondUser(url: string): Promise<Record<string, string>> {
  const user = {
    email: 'second@example.com',
    name: 'Second',
    credUsername: 'second',
    password: 'nineteen loud parrots',
  }
  const roles = { Tools: 1 }
  const { status } = await (await signedInClient(url))('POST', '/api/v1/admin/user', { ...user, roles })
  if (status !== 201) throw new Error(`Creating the second user returned ${status}.`)
  return signIn(url, { username: user.credUsername, password: user.password })
}

/** Imports a file, and waits for the rate limit if necessary. */
async function send(url: string, headers: Record<string, string>, file: Blob): Promise<void> {
  const answer = await fetch(`${url}/api/v1/user/import?dry=true`, { method: 'POST', headers, body: file })
  await answer.arrayBuffer()
  const { status } = answer
  if (status === 429) {
    await after(seconds(Number(answer.headers.get('retry-after'))))
    return send(url, headers, file)
  }
  if (status !== 200 && status !== 400) throw new Error(`The import returned ${status}.`)
}

async function waitAt(url: string): Promise<Milliseconds> {
  const began = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - began
}
