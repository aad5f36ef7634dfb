import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sync } from '../durable.ts'
import { makeFolder } from './data-folder.ts'

export const shortestSecret = 32

export const appSecretFile = (dataDir: string) => join(dataDir, 'app-secret')

/** The secret in dataDir, created at the first start. Throws an Error whose message continues "APP_SECRET …". */
export function readOrCreateAppSecret(dataDir: string): string {
  const file = appSecretFile(dataDir)
  if (!existsSync(file)) create(dataDir, file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < shortestSecret) throw new Error(`is not set, and the one in ${file} is damaged`)
  return secret
}

/** Creates the file, which appears complete or not at all. If two starts race, the file of the first one stays. */
function create(dataDir: string, file: string): void {
  makeFolder(dataDir)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${randomBytes(32).toString('base64url')}\n`)
    fsyncSync(handle)
    linkSync(draft, file)
    // So that the new name survives a power cut.
    sync(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(handle)
    rmSync(draft, { force: true })
  }
}
