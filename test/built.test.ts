import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from './support/process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** A module that makes the process print, on exit, which parts of Node it has loaded. */
const saysLoaded = `data:text/javascript,process.on('exit', () => console.log(process.moduleLoadList.join()))`

test('the built server responds without loading undici, and its files are pure ASCII', async () => {
  const server = await startProcess({ DATA_DIR: temporaryFolder() }, ['--import', saysLoaded])
  expect((await fetch(`${server.url}/api/v1/config`)).status).toBe(200)
  await server.end('SIGTERM')
  expect(server.printed()).toContain('NativeModule http')
  expect(server.printed()).not.toContain('undici')
  const folder = join(import.meta.dirname, '..', 'dist-server')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  expect(files.filter((text) => /[\u0080-\uffff]/.test(text))).toEqual([])
  expect(files.some((text) => text.includes('// src/main.ts'))).toBe(true)
})
