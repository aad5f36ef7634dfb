import { expect, onTestFinished, test } from 'vitest'
import { tcpProxy } from './faults/proxy.ts'
import { serverDatabase } from './support/database/server-database.ts'
import { startProcess } from './support/process.ts'

test('two signals at once, as a group of processes gets them, are one', async () => {
  const { env, drop } = await serverDatabase('sqlite')
  onTestFinished(drop)
  const server = await startProcess(env)
  server.signal('SIGHUP')
  expect(await server.end('SIGTERM')).toBe(0)
  expect(server.printed()).toContain('Stopped')
})

test('asked to stop while its database is half-open, a process says what is still open and ends within 30 s', async () => {
  const { env, drop } = await serverDatabase('postgres')
  onTestFinished(drop)
  const url = env.DATABASE_URL ?? ''
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  onTestFinished(proxy.close)
  const server = await startProcess({ ...env, DATABASE_URL: proxy.through(url) })
  proxy.freeze()
  const asked = performance.now()
  expect(await server.end('SIGTERM')).toBe(1)
  expect(performance.now() - asked).toBeLessThan(30_000)
  expect(server.printed()).toContain('Connections to PostgreSQL still in use')
})
