import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { nodePackage } from '../../scripts/machine.mjs'
import { variables } from '../../src/config.ts'
import { describeConfig, readConfig } from '../../src/platform/config/config.ts'
import type { Env } from '../../src/platform/config/env.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lastOf, readDockerfile } from './dockerfile.ts'
import { blocksOf, readToml, readUnit, root, sample } from './samples.ts'

const variableNames = describeConfig(variables, {}, temporaryFolder()).found.map(({ name }) => name)
const image = readDockerfile(sample('Dockerfile')).at(-1)!
const secret = 'a secret of more than thirty-two characters'
/** The configuration from these variables on a hosting service that also sets `more`. Fails on unknown names. */
function configOf(env: Readonly<Record<string, string>>, more: Env) {
  expect(variableNames).toEqual(expect.arrayContaining(Object.keys(env)))
  return readConfig(variables, { ...env, APP_SECRET: secret, ...more }, temporaryFolder())
}
const expectScript = (command: string) =>
  expect(existsSync(join(root, /scripts\/[\w.-]+/.exec(command)![0]))).toBe(true)

test('the image uses the Node version that npm start installs', () => {
  const { version } = nodePackage({ platform: 'linux', arch: 'x64', isMusl: false })!
  for (const { from, name } of readDockerfile(sample('Dockerfile')))
    expect([name, from]).toEqual([name, `node:${version.split('.')[0]}-slim`])
  for (const instruction of ['CMD', 'HEALTHCHECK']) expectScript(lastOf(image, instruction)!.rest)
})

test('on Render the disk is mounted where the image writes, and the real client address is used', () => {
  const [service] = parse(sample('deploy/render.yaml')).services
  expect(existsSync(join(root, service.dockerfilePath))).toBe(true)
  expect(service.disk.mountPath).toBe(lastOf(image, 'VOLUME')!.rest)
  expect(service.healthCheckPath).toBe('/healthz')
  expect(service.maxShutdownDelaySeconds).toBeGreaterThan(30)
  const envVars = service.envVars.map(({ key, value = secret }: { key: string; value?: string }) => [key, value])
  const address = 'https://toolbox-ab12.onrender.com'
  const config = configOf(Object.fromEntries(envVars), { RENDER: 'true', RENDER_EXTERNAL_URL: address })
  expect(config).toMatchObject({
    baseUrl: address,
    trustProxy: expect.arrayContaining(['10.0.0.0/8', '2606:4700::/32']),
  })
})

test('on Fly.io the volume is mounted where the image writes, and the port is the one it listens on', () => {
  const fly = readToml(sample('deploy/fly.toml'))
  expect(fly).toMatchObject({
    build: { dockerfile: '../Dockerfile' },
    mounts: { destination: lastOf(image, 'VOLUME')!.rest },
    http_service: { internal_port: Number(lastOf(image, 'EXPOSE')!.rest), auto_stop_machines: 'off' },
    'http_service.checks': { path: '/healthz' },
    kill_timeout: '40s',
  })
  const config = configOf(Object(fly.env), { FLY_APP_NAME: String(fly.app) })
  expect(config).toMatchObject({ baseUrl: 'https://toolbox.fly.dev', trustProxy: 2 })
})

test('on Heroku the build and start scripts exist, and its PORT and DATABASE_URL are used', () => {
  const app = JSON.parse(sample('app.json'))
  const [, web = ''] = /^web: (.+)$/m.exec(sample('Procfile')) ?? []
  expectScript(web)
  expectScript(JSON.parse(sample('package.json')).scripts.build)
  expect(app.addons[0].plan).toMatch(/^heroku-postgresql:/)
  const envVars = Object.entries<{ value?: string }>(app.env).map(([name, { value = '' }]) => [name, value])
  const heroku = { DYNO: 'web.1', PORT: '41234', DATABASE_URL: 'postgres://u:p@ec2.example.com:5432/d' }
  const config = configOf(Object.fromEntries(envVars), { ...heroku, HOST: /HOST=(\S+)/.exec(web)![1] })
  expect(config).toMatchObject({
    port: 41_234,
    host: '0.0.0.0',
    trustProxy: 1,
    databaseUrl: `${heroku.DATABASE_URL}?sslmode=no-verify`,
  })
})

test('the systemd service starts an existing script, keeps its data in its own folder and is sandboxed', ({ skip }) => {
  const { Service = {} } = readUnit(sample('deploy/toolbox.service'))
  const one = (name: string) => Service[name]?.join(' ') ?? ''
  const env = Object.fromEntries(
    one('Environment')
      .split(' ')
      .map((pair) => pair.split('=')),
  )
  expect(one('ExecStart')).toMatch(/^\/usr\/bin\/node scripts\//)
  expectScript(one('ExecStart'))
  expect(Object.keys(env).filter((name) => !variableNames.includes(name))).toEqual(['NODE_ENV'])
  expect(env.DATA_DIR).toBe(`/var/lib/${one('StateDirectory')}`)
  expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(30)
  expect(sample('docs/install.md')).toContain(one('WorkingDirectory'))
  const unit = join(root, 'deploy/toolbox.service')
  const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=15', unit], {
    encoding: 'utf8',
  })
  if (judged.error) skip('systemd-analyze is not installed.')
  expect([judged.status, judged.stderr]).toEqual([0, ''])
})

test('the proxy samples use ToolBox’s addresses and name the configuration that it needs', () => {
  const samples = ['deploy/Caddyfile', 'deploy/nginx.conf'].map((path) => readFileSync(join(root, path), 'utf8'))
  for (const text of samples) {
    const [, needs = ''] = /^# ToolBox needs: (.+)$/m.exec(text) ?? []
    const env = Object.fromEntries(needs.split(' ').map((pair) => pair.split('=')))
    expect(configOf(env, {})).toMatchObject({ baseUrl: 'https://tools.example.com', trustProxy: 1, port: 3000 })
    expect(text).toContain('127.0.0.1:3000')
  }
  expect(samples[0]).toContain('health_uri /readyz')
})

test('files, scripts, services and variables named in the instructions exist', () => {
  const page = sample('docs/install.md')
  const commands = blocksOf(page, 'sh').join('\n')
  const files = [...commands.matchAll(/(?:deploy|scripts|src)\/[\w./-]+/g)].map(([path]) => path)
  for (const path of files) expect(existsSync(join(root, path)), path).toBe(true)
  const scripts = JSON.parse(sample('package.json')).scripts
  for (const [, name = ''] of commands.matchAll(/npm (?:run )?(start|build|toolbox|test)\b/g))
    expect(scripts).toHaveProperty(name)
  const services = Object.keys(parse(sample('compose.yaml'), { merge: true }).services)
  const named = [...commands.matchAll(/docker compose (?:--profile \w+ )?(?:up -d|exec|logs) +([\w-]+)/g)].map(
    ([, name]) => name,
  )
  expect(named.length).toBeGreaterThan(2)
  expect(services).toEqual(expect.arrayContaining(named))
  const set = [...commands.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name.replace(/_FILE$/, ''))
  const ofOthers = ['POSTGRES_PASSWORD']
  expect(set.filter((name) => !variableNames.includes(name) && !ofOthers.includes(name))).toEqual([])
})
