import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { mountDisk } from '../test/support/mount-disk.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { isMusl, nodePackage } from './machine.mjs'
import { sourcesHash } from './prepare.mjs'

/** Creates a project with the real launcher that only prints which Node started it, with which arguments. */
function putProject(folder) {
  for (const name of readdirSync(import.meta.dirname).filter((name) => /(?<!\.test)\.mjs$/.test(name)))
    cpSync(join(import.meta.dirname, name), join(folder, 'scripts', name))
  const put = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  put('package.json', '{ "name": "tiny", "version": "1.0.0", "type": "module" }')
  put('package-lock.json', '{ "name": "tiny", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": {} } }')
  put('src/cli.ts', 'console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)]))')
  put('node_modules/.toolbox-stamp', sourcesHash(folder, ['package-lock.json']))
}

let folder
beforeEach(() => {
  folder = join(temporaryFolder(), 'Geräte & Töne')
  mkdirSync(folder)
})

function launch({ version = process.versions.node, env = {}, args = ['toolbox', 'a b'] }) {
  const asOld = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(asOld)}`]
  const child = spawn(process.execPath, [...flags, join(folder, 'scripts', 'launch.mjs'), ...args], {
    env: { HOME: folder, PATH: '', ...env },
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...output })))
}

/** A proxy for a registry whose only package is a Node for this machine: a script that runs the current Node. */
async function registryProxy({ name, version }) {
  const making = join(temporaryFolder(), 'package')
  mkdirSync(join(making, 'bin'), { recursive: true })
  writeFileSync(join(making, 'package.json'), JSON.stringify({ name, version }))
  writeFileSync(join(making, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  chmodSync(join(making, 'bin', 'node'), 0o755)
  execFileSync('tar', ['-czf', join(making, '..', 'node.tgz'), '-C', dirname(making), 'package'])
  const requests = []
  const server = createServer(({ url }, response) => {
    requests.push(url)
    if (url.endsWith('.tgz')) return response.end(readFileSync(join(making, '..', 'node.tgz')))
    const one = { name, version, dist: { tarball: 'http://registry.invalid/node.tgz' } }
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: one } }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close())
  return { url: `http://127.0.0.1:${server.address().port}`, requests }
}

test('an older Node downloads the required one through npm’s proxy once, and then needs no network and no npm', async () => {
  const { platform, arch } = process
  const required = nodePackage({ platform, arch, isMusl: isMusl(platform, () => process.report.getReport()) })
  putProject(folder)
  const { url, requests } = await registryProxy(required)
  const env = { npm_config_registry: 'http://registry.invalid/', npm_config_proxy: url, npm_config_omit: 'optional' }
  const first = await launch({ version: '20.1.0', env: { ...env, PATH: process.env.PATH } })
  expect(first).toMatchObject({
    code: 0,
    err: expect.stringContaining(`downloading Node ${required.version} into .node (once`),
  })
  expect(JSON.parse(first.out)).toEqual([process.execPath, 'a b'])
  expect(requests).toEqual([`http://registry.invalid/${required.name}`, 'http://registry.invalid/node.tgz'])
  expect(await launch({ version: '20.1.0' })).toEqual({ ...first, err: '' })
  expect(requests).toHaveLength(2)
})

test('a read-only folder starts if it is fully prepared, and otherwise prints what to do', async ({ skip }) => {
  const disk = mountDisk(2_000) ?? skip('This user may not mount a disk.')
  onTestFinished(disk.remove)
  folder = disk.folder
  putProject(folder)
  const readOnly = (is) => execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, folder])
  readOnly(true)
  expect(await launch({})).toEqual({ code: 0, out: `${JSON.stringify([process.execPath, 'a b'])}\n`, err: '' })
  const missing = (what) => ({
    code: 1,
    out: '',
    err: `ToolBox: ${what}, and ${folder} is read-only. Run npm start once where it can be written.\n`,
  })
  expect(await launch({ args: ['start'] })).toEqual(missing('the page and the server are not built'))
  const why = 'this machine has Node 20.1.0, and ToolBox needs 24 or newer'
  expect(await launch({ version: '20.1.0' })).toEqual(missing(why))
  readOnly(false)
  writeFileSync(join(folder, 'package-lock.json'), '{ "another": true }')
  mkdirSync(join(folder, 'dist-server'))
  writeFileSync(join(folder, 'dist-server', 'main.js'), 'console.log("started")')
  readOnly(true)
  expect(await launch({ args: ['start'] })).toMatchObject({ code: 0, out: 'started\n' })
})
