import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { machineResolve, parseHosts, specialName } from './names.ts'

test('A hosts file provides all addresses of a name, in any case, and none from comments', () => {
  const hosts = parseHosts('127.0.0.1 Box box.local # here\n# 10.0.0.9 gone\n\n::1\tbox\nnonsense other\n')
  expect(hosts).toEqual(
    new Map([
      ['box', ['127.0.0.1', '::1']],
      ['box.local', ['127.0.0.1']],
    ]),
  )
})

test('The hosts file has precedence, and is read again when it has changed', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'hosts')
  writeFileSync(file, '10.0.0.1 app.test\n')
  const resolve = machineResolve(() => 0, { hostsFile: file })
  expect(await resolve('app.test')).toEqual(['10.0.0.1'])
  writeFileSync(file, '10.0.0.2 app.test\n')
  utimesSync(file, 1_000, 1_000)
  expect(await resolve('app.test.')).toEqual(['10.0.0.2'])
})

test('A hosts file that can’t be read is ignored', async () => {
  const resolve = machineResolve(() => 0, { hostsFile: temporaryFolder(), ask: async () => ['192.0.2.1'] })
  expect(await resolve('app.test')).toEqual(['192.0.2.1'])
})

test('localhost and its subdomains are loopback without a lookup, and .invalid has no address', () => {
  for (const name of ['localhost', 'localhost.', 'a.localhost', 'a.b.localhost.'])
    expect(specialName(name)).toEqual(['127.0.0.1', '::1'])
  for (const name of ['invalid', 'no.such.invalid', 'x.invalid.']) expect(specialName(name)).toEqual([])
  for (const name of ['localhost.example.com', 'notlocalhost', 'invalid.example.com'])
    expect(specialName(name)).toBeUndefined()
})
