import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFlags } from '../scripts/node-flags.mjs'
import { tcpProxy } from './faults/proxy.ts'
import { serverDatabase } from './support/database/server-database.ts'
import { fakeWeb } from './support/fakes/fake-web.ts'
import { freePort } from './support/free-port.ts'
import { adminEnv, buildServer, processEnv, signedInClient, startProcess, waitUntilReady } from './support/process.ts'
import { isOpen, trackProcess } from './support/program.ts'

test('SIGUSR1 opens no inspector, and two stop signals in a row count as one', async () => {
  const { env, drop } = await serverDatabase('sqlite')
  onTestFinished(drop)
  const server = await startProcess(env, nodeFlags)
  server.signal('SIGUSR1')
  server.signal('SIGHUP')
  expect(await server.end('SIGTERM')).toBe(0)
  expect(server.printed()).toContain('Stopped')
  expect(server.printed()).not.toContain('Debugger listening')
})

test('SIGTERM stops a server cleanly as soon as it listens', async () => {
  const { env, drop } = await serverDatabase('sqlite')
  onTestFinished(drop)
  await buildServer()
  const port = await freePort()
  const server = spawn(process.execPath, ['dist-server/main.js'], {
    cwd: dirname(import.meta.dirname),
    env: { ...processEnv, ...env, PORT: String(port) },
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const { printed } = trackProcess(server)
  const ended = once(server, 'exit')
  while (!(await isOpen(port))) expect(server.exitCode).toBe(null)
  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(printed()).toContain('Stopped')
})

test('SIGTERM to the whole process group of npm start lets work in progress finish', async ({ skip }) => {
  if (spawnSync('npm', ['--version']).error) skip('npm is not installed.')
  const { env, db, drop } = await serverDatabase('sqlite')
  onTestFinished(drop)
  const web = await fakeWeb()
  onTestFinished(web.close)
  let isStopping = () => false
  web.on('/slow', async (_visit, response) => {
    await expect.poll(isStopping).toBe(true)
    response.end('awake')
  })
  await buildServer()
  const port = await freePort()
  const own = { ...processEnv, ...env, ...adminEnv, HOME: env.DATA_DIR, PORT: String(port) }
  const group = spawn('npm', ['start'], {
    cwd: dirname(import.meta.dirname),
    env: { ...own, ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', npm_config_update_notifier: 'false' },
    detached: true,
  })
  const signalAll = (signal: NodeJS.Signals) => process.kill(-group.pid!, signal)
  onTestFinished(() => {
    try {
      signalAll('SIGKILL')
    } catch {
      // The whole group has exited.
    }
  })
  const server = await waitUntilReady(group, port)
  isStopping = () => server.printed().includes('Shutting down')
  const call = await signedInClient(server.url)
  expect(await call('POST', '/api/v1/keepalive', { url: `${web.origin}/slow` })).toMatchObject({ status: 201 })
  await expect.poll(() => web.visits.length).toBe(1)
  const ended = once(group, 'close')
  signalAll('SIGTERM')
  await ended
  expect(server.printed()).toContain('"msg":"Stopped"')
  expect(await db.q.selectFrom('run').select(['success', 'note']).execute()).toMatchObject([{ success: 1 }])
})

test('SIGTERM during half-open database connections logs what is still in use and exits within 30 s', async () => {
  const { env, drop } = await serverDatabase('postgres')
  onTestFinished(drop)
  const url = env.DATABASE_URL ?? ''
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  onTestFinished(proxy.close)
  const server = await startProcess({ ...env, DATABASE_URL: proxy.through(url) })
  proxy.freeze()
  const sentAt = performance.now()
  expect(await server.end('SIGTERM')).toBe(1)
  expect(performance.now() - sentAt).toBeLessThan(30_000)
  expect(server.printed()).toContain('Connections to PostgreSQL still in use')
})
