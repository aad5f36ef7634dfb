import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('stopping the embedded PostgreSQL keeps the exit code of a failed run', () => {
  const script = `
    import { startPostgres } from './test/support/database/start-postgres.ts'
    const { stop } = await startPostgres([])
    process.exitCode = 3
    await stop()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: new URL('../../..', import.meta.url),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(3)
})
