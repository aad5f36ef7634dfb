import { expect, onTestFinished, test } from 'vitest'
import { tcpProxy } from './faults/proxy.ts'
import { freshPostgres } from './support/database/fresh-postgres.ts'
import { startProcess } from './support/process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

test('asked to stop while its database is half-open, a process says what is still open and ends within 30 s', async () => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  onTestFinished(proxy.close)
  const folder = temporaryFolder()
  const secret = 'a secret of at least thirty-two characters'
  const server = await startProcess({ DATA_DIR: folder, APP_SECRET: secret, DATABASE_URL: proxy.through(url) })
  proxy.freeze()
  const asked = performance.now()
  expect(await server.end('SIGTERM')).toBe(1)
  expect(performance.now() - asked).toBeLessThan(30_000)
  expect(server.printed()).toContain('Connections to PostgreSQL still in use')
})
