import { setTimeout as after } from 'node:timers/promises'
import { seconds } from '../src/shared/time.ts'
import { admin, signIn } from '../test/support/process.ts'
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
  ['application/json', () => filled('{},', '{"format":[', '{}]}')],
  ['application/json', () => filled('\\"', '{"')],
  ['application/json', () => many((n) => entryOf(n, `"name":"${'x'.repeat(3_900)}"`))],
  ['application/json', () => many((n) => entryOf(n, Array.from({ length: 200 }, (_, m) => `"k${n}_${m}":[]`).join()))],
  ['text/plain', () => Array.from({ length: 5_000 }, (_, n) => `https://${n}.example/${'x'.repeat(4_000)}`).join('\n')],
]

/** How long others wait, and what memory it takes, while somebody imports hostile files of 20 MB. */
export async function imports(): Promise<Row[]> {
  const scene = await openScene()
  const { email, username, password } = admin
  const variables = { ADMIN_EMAIL: email, ADMIN_USERNAME: username, ADMIN_PASSWORD: password }
  const server = await scene.server(variables)
  try {
    const headers = await signIn(scene.siteUrl)
    await after(seconds(2))
    const { rss: idle } = await server.measured()
    let [longest, most] = [0, idle]
    for (const [type, file] of files) {
      const body = Buffer.from(file())
      let isOver = false
      const work = fetch(`${scene.siteUrl}/api/v1/user/import?dry=true`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
      }).finally(() => {
        isOver = true
      })
      while (!isOver) {
        const began = performance.now()
        await (await fetch(`${scene.siteUrl}/healthz`)).arrayBuffer()
        longest = Math.max(longest, performance.now() - began)
        most = Math.max(most, (await server.measured()).rss)
        await after(10)
      }
      const { status } = await work
      if (status !== 200 && status !== 400) throw new Error(`The import answered ${status}.`)
    }
    const seen = `${files.length} hostile files of 20 MB`
    return [
      atMost('hostile imports: longest wait of others', longest, 100, 'ms', seen),
      atMost('hostile imports: memory above idle', (most - idle) / 1e6, 150, 'MB', seen),
    ]
  } finally {
    await server.end()
    scene.close()
  }
}
