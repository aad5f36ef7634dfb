import { expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from './support/database/fresh-postgres.ts'
import { startPgBouncer } from './support/database/pgbouncer.ts'
import { startFakeGithub } from './support/fakes/fake-providers.ts'
import { fakeWeb } from './support/fakes/fake-web.ts'
import { freePort } from './support/free-port.ts'
import { startProcess } from './support/process.ts'
import { openEventStream } from './support/stream.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

type Entry = { id: string; lastRun: { success: boolean } | null }

test('two servers work behind a pooler in transaction mode, but need a direct connection to start', async ({
  skip,
}) => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const bouncer = (await startPgBouncer(url)) ?? skip('PgBouncer is not installed.')
  onTestFinished(bouncer.stop)
  const [github, web] = [await startFakeGithub(), await fakeWeb()]
  onTestFinished(github.close)
  onTestFinished(web.close)
  const port = await freePort()
  const pooled = {
    ...github.env,
    DATABASE_URL: bouncer.through(url),
    APP_SECRET: 'a secret of at least thirty-two characters',
    DATA_DIR: temporaryFolder(),
    BASE_URL: `http://localhost:${port}`,
    SIGN_UP_TOOLS: '1',
  }
  await expect(startProcess(pooled)).rejects.toThrow('Set DATABASE_URL_DIRECT to the same database without it.')
  const env = { ...pooled, DATABASE_URL_DIRECT: url }
  const first = await startProcess({ ...env, PORT: String(port) })
  onTestFinished(async () => void (await first.end('SIGKILL')))
  const second = await startProcess(env)
  onTestFinished(async () => void (await second.end('SIGKILL')))

  const jar = new Map<string, string>()
  const headers = () => ({
    cookie: [...jar].map((pair) => pair.join('=')).join('; '),
    'x-xsrf-token': jar.get('XSRF-TOKEN') ?? '',
  })
  const call = async (path: string, body?: object) => {
    const json = { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(new URL(path, first.url), {
      redirect: 'manual',
      headers: { ...headers(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && json),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return answer
  }
  github.person({ id: '7', username: 'octo', email: 'octo@example.com', verified: true })
  const begun = await call('/api/auth/sign-in/social', { provider: github.id, callbackURL: '/' })
  const redirect = await fetch(((await begun.json()) as { url: string }).url, { redirect: 'manual' })
  await call(redirect.headers.get('location') ?? '')
  expect(await (await call('/api/v1/auth/session')).json()).toMatchObject({ user: { email: 'octo@example.com' } })

  const screen = await openEventStream(second.url, headers())
  onTestFinished(screen.close)
  web.on('/', { body: 'awake' })
  const created = await call('/api/v1/keepalive', { url: web.origin })
  const { id } = (await created.json()) as Entry
  const entry = async () => (await (await call(`/api/v1/keepalive?id=${id}`)).json()) as Entry
  await expect.poll(async () => (await entry()).lastRun?.success).toBe(true)
  await expect.poll(() => screen.eventsOfType('entry').length).toBeGreaterThan(0)

  const view = async ({ url: at }: typeof first) => {
    const answer = await fetch(`${at}/api/v1/analyticsbadge/pooled`)
    return [answer.status, Number(answer.headers.get('x-views'))]
  }
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => view(n % 2 ? first : second)))
  const numbers = Array.from({ length: 40 }, (_, n) => [200, n + 1])
  expect(answers.sort(([, one = 0], [, other = 0]) => one - other)).toEqual(numbers)
  expect(await Promise.all([first.end('SIGTERM'), second.end('SIGTERM')])).toEqual([0, 0])
})
