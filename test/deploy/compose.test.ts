import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { variables } from '../../src/config.ts'
import { describeConfig, readConfig } from '../../src/platform/config/config.ts'
import { seconds } from '../../src/shared/time.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lastOf, readDockerfile } from './dockerfile.ts'
import { blocksOf, interpolate, root, sample } from './samples.ts'

const Service = z.strictObject({
  build: z.literal('.').optional(),
  image: z.string(),
  profiles: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).default({}),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  restart: z.literal('unless-stopped'),
  read_only: z.literal(true).optional(),
  tmpfs: z.literal('/tmp').optional(),
  cap_drop: z.tuple([z.literal('ALL')]).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
})
const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
})

const written = parse(sample('compose.yaml'), { merge: true })
const compose = Compose.parse(interpolate(written, { SITE: 'tools.example.com' }))
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build)
const image = readDockerfile(sample('Dockerfile')).at(-1)!

test('ToolBox runs alone, on PostgreSQL or as a cluster', () => {
  const startedWith = (profile: string) =>
    services.filter(([, { profiles }]) => profiles.includes(profile)).map(([name]) => name)
  // What has no profile would be started along with each of them.
  expect(services.filter(([, { profiles }]) => profiles.length === 0)).toEqual([])
  expect(startedWith('alone')).toEqual(['toolbox'])
  expect(startedWith('postgres')).toEqual(['toolbox-postgres', 'postgres'])
  expect(startedWith('cluster')).toEqual(['toolbox-1', 'toolbox-2', 'postgres', 'caddy'])
  for (const text of [sample('docs/install.md'), sample('compose.yaml')])
    expect([...text.matchAll(/docker compose --profile (\w+) up -d(?=$| {2})/gm)].map(([, name]) => name)).toEqual(
      expect.arrayContaining(['alone', 'postgres', 'cluster']),
    )
})

test('no two services of a profile publish the same port', () => {
  for (const profile of ['alone', 'postgres', 'cluster']) {
    const ports = services.flatMap(([, service]) => (service.profiles.includes(profile) ? service.ports : []))
    expect(new Set(ports).size, profile).toBe(ports.length)
  }
})

test('whatever a service needs is there in each of its profiles', () => {
  for (const [name, { depends_on, profiles, secrets, environment, volumes }] of services) {
    for (const needed of Object.keys(depends_on)) {
      const other = compose.services[needed]
      expect(other?.healthcheck ?? other?.build, `${name} waits for ${needed}`).toBeDefined()
      expect(profiles.every((profile) => other?.profiles.includes(profile))).toBe(true)
    }
    const files = Object.entries(environment).filter(([variable]) => variable.endsWith('_FILE'))
    expect(files.map(([, file]) => file).sort()).toEqual(secrets.map((secret) => `/run/secrets/${secret}`).sort())
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets))
    for (const source of volumes.map((volume) => volume.split(':')[0]!))
      expect(source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes, source).toBe(true)
  }
})

test('ToolBox gets a read-only root, no rights and time to end, and listens and writes where the image does', () => {
  const port = /PORT=(\d+)/.exec(image.instructions.find(({ name }) => name === 'ENV')!.rest)![1]
  expect(lastOf(image, 'EXPOSE')?.rest).toBe(port)
  for (const [, service] of ours) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThan(seconds(30) / 1_000)
    for (const published of service.ports) expect(published).toMatch(new RegExp(`^127\\.0\\.0\\.1:3000:${port}$`))
  }
  expect(compose.services.toolbox!.volumes).toEqual([`data:${lastOf(image, 'VOLUME')!.rest}`])
  const behind = compose.services.caddy!.environment.TOOLBOX!.split(' ')
  expect(behind).toEqual(['toolbox-1', 'toolbox-2'].map((name) => `${name}:${port}`))
})

test('every variable exists, and with the secrets of the instructions each service has a whole configuration', () => {
  const folder = temporaryFolder()
  const known = describeConfig(variables, {}, folder).found.map(({ name }) => name)
  const makeSecrets = blocksOf(sample('docs/install.md'), 'sh').find((block) => block.includes('secrets/app-secret'))!
  execFileSync('sh', ['-ec', makeSecrets], { cwd: folder })
  const password = readFileSync(join(folder, 'secrets/postgres-password'), 'utf8').trim()
  for (const [, { environment }] of ours) {
    for (const name of Object.keys(environment)) expect(known).toContain(name.replace(/_FILE$/, ''))
    const env = Object.entries(environment).map(([name, value]) => [
      name,
      name.endsWith('_FILE') ? join(folder, compose.secrets[value.split('/').at(-1)!]!.file) : value,
    ])
    const config = readConfig(variables, Object.fromEntries(env), folder)
    if (environment.DATABASE_URL_FILE)
      expect(config.databaseUrl).toBe(`postgres://toolbox:${password}@postgres/toolbox`)
  }
  expect(compose.services.postgres!.environment).toMatchObject({ POSTGRES_USER: 'toolbox', POSTGRES_DB: 'toolbox' })
  expect(compose.services['toolbox-1']!.environment.BASE_URL).toBe('https://tools.example.com')
})
