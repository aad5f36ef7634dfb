import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { appSecretFile, readOrCreateAppSecret } from './app-secret.ts'

test('the generated secret is reused at the next start and readable only by its owner', () => {
  const folder = join(temporaryFolder(), 'data')
  const secret = readOrCreateAppSecret(folder)
  expect(secret.length).toBeGreaterThanOrEqual(43)
  expect(readOrCreateAppSecret(folder)).toBe(secret)
  expect(statSync(appSecretFile(folder)).mode & 0o777).toBe(0o600)
})

test('simultaneous first starts all use the same secret', async () => {
  const folder = temporaryFolder()
  const program = `import { readOrCreateAppSecret } from ${JSON.stringify(new URL('app-secret.ts', import.meta.url).href)}
    process.stdout.write(readOrCreateAppSecret(process.argv[1]))`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder])
  const secrets = await Promise.all([start(), start(), start(), start()])
  expect(new Set(secrets.map(({ stdout }) => stdout)).size).toBe(1)
  expect(readdirSync(folder)).toEqual(['app-secret'])
})
