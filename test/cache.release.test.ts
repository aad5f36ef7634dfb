import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { admin, adminEnv, signedInClient, signIn, startProcess } from './support/process.ts'
import { startProgram } from './support/program.ts'
import { openEventStream } from './support/stream.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

test('behind a cache, no client gets a stale or another user’s response, and each badge view counts', async ({
  skip,
}) => {
  const [behind, front] = [await freePort(), await freePort()]
  const url = `http://localhost:${front}`
  // Varnish's default rules, including a TTL of two minutes for responses without caching headers.
  const started = await startProgram('/usr/sbin/varnishd', front, (folder) => {
    const rules = join(folder, 'rules.vcl')
    writeFileSync(rules, `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${behind}"; }\n`)
    const workFlags = ['-j', 'none', '-n', join(folder, 'work'), '-s', 'malloc,32m', '-T', 'none']
    return ['-F', '-a', `127.0.0.1:${front}`, '-f', rules, ...workFlags]
  })
  const varnish = started ?? skip('Varnish is not installed.')
  onTestFinished(varnish.stop)
  const server = await startProcess({
    PORT: String(behind),
    DATA_DIR: temporaryFolder(),
    APP_SECRET: 'a secret of at least thirty-two characters',
    BASE_URL: url,
    TRUST_PROXY: '1',
    ...adminEnv,
  })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  /** Sends a request; `isCached` reports whether Varnish answered from its cache. */
  const get = async (path: string, headers = {}, method = 'GET') => {
    const answer = await fetch(url + path, { headers, method })
    const isCached = answer.headers.get('x-varnish')?.includes(' ') ?? false
    return { answer, isCached, text: await answer.text() }
  }
  const twice = async (path: string) => [(await get(path)).isCached, (await get(path)).isCached]

  // The pages' JavaScript is immutable and the same for every user.
  const [asset = ''] = /\/assets\/[\w-]+\.js/.exec((await get('/')).text) ?? []
  expect((await twice(asset))[1]).toBe(true)
  for (const path of [
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/v1/config',
    '/api/v1/auth/session',
    '/docs',
    '/license',
  ])
    expect(await twice(path), path).toEqual([false, false])

  const headers = await signIn(url)
  const session = async (requestHeaders = {}) => JSON.parse((await get('/api/v1/auth/session', requestHeaders)).text)
  expect(await session(headers)).toMatchObject({ user: { email: admin.email } })
  expect(await session()).toMatchObject({ user: null })

  const views = async (method = 'GET') =>
    Number((await get('/api/v1/analyticsbadge/cached', {}, method)).answer.headers.get('x-views'))
  expect([await views(), await views(), await views()]).toEqual([1, 2, 3])
  await views('HEAD')
  // Varnish forwards the HEAD as a GET, which counts as one view.
  expect(await views()).toBe(5)

  const screen = await openEventStream(url, headers)
  onTestFinished(screen.close)
  const call = await signedInClient(url)
  await call('POST', '/api/v1/keepalive', { url: 'http://127.0.0.1:9/', status: false })
  await expect.poll(() => screen.eventsOfType('entry').length).toBeGreaterThan(0)
  await screen.close()

  await server.end('SIGTERM')
  expect((await get('/readyz')).answer.status).toBe(503)
})
