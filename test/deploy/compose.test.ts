import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
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
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.literal('service_healthy'), required: z.boolean().default(true) }),
    )
    .default({}),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  restart: z.literal('unless-stopped'),
  read_only: z.literal(true).optional(),
  tmpfs: z.literal('/tmp').optional(),
  cap_drop: z.tuple([z.literal('ALL')]).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
})
const Compose = z.looseObject({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.null()) })

const written = parse(sample('compose.yaml'), { merge: true })
const settings = { BASE_URL: 'https://tools.example.com', TRUST_PROXY: '1' }
const compose = Compose.parse(interpolate(written, settings))
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build)
const image = readDockerfile(sample('Dockerfile')).at(-1)!

/** The services that `docker compose up -d` starts with this profile, or without any. */
const startedWith = (profile?: string) =>
  services.filter(([, { profiles }]) => profiles.length === 0 || profiles.some((one) => one === profile))
const everyStart = [undefined, 'postgres', 'cluster']

test('ToolBox runs on SQLite without a profile, and on PostgreSQL or as a cluster with one', () => {
  const names = everyStart.map((profile) => startedWith(profile).map(([name]) => name))
  expect(names).toEqual([['toolbox'], ['toolbox', 'postgres'], ['toolbox', 'toolbox-2', 'postgres', 'caddy']])
  for (const text of [sample('docs/install.md'), sample('compose.yaml')]) {
    const commands = [...text.matchAll(/docker compose (?:--profile (\w+) )?up -d(?=$| {2})/gm)]
    expect(commands.map(([, profile]) => profile)).toEqual(everyStart)
  }
})

test('no two services that start together publish the same port', () => {
  for (const profile of everyStart) {
    const ports = startedWith(profile).flatMap(([, service]) => service.ports)
    expect(new Set(ports).size, profile).toBe(ports.length)
  }
})

test('everything that a service depends on exists whenever it starts', () => {
  for (const profile of everyStart) {
    const started = Object.fromEntries(startedWith(profile))
    for (const [name, { depends_on }] of Object.entries(started))
      for (const [needed, { required }] of Object.entries(depends_on)) {
        const other = compose.services[needed]
        expect(other?.healthcheck ?? other?.build, `${name} waits for ${needed}`).toBeDefined()
        expect(needed in started || !required, `${name} waits for ${needed}`).toBe(true)
      }
  }
  for (const [, { volumes }] of services)
    for (const source of volumes.map((volume) => volume.split(':')[0]!))
      expect(source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes, source).toBe(true)
})

test('ToolBox gets a read-only root, no capabilities, enough time to stop, and the image’s port and volume', () => {
  const port = /PORT=(\d+)/.exec(image.instructions.find(({ name }) => name === 'ENV')!.rest)![1]
  expect(lastOf(image, 'EXPOSE')?.rest).toBe(port)
  for (const [, service] of ours) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThan(seconds(30) / 1_000)
    for (const published of service.ports) expect(published).toMatch(new RegExp(`^127\\.0\\.0\\.1:3000:${port}$`))
  }
  expect(compose.services.toolbox!.volumes).toEqual([`data:${lastOf(image, 'VOLUME')!.rest}`])
  const behind = compose.services.caddy!.environment.TOOLBOX!.split(' ')
  expect(behind).toEqual(ours.map(([name]) => `${name}:${port}`))
  expect(compose.services.caddy!.environment.SITE).toBe(settings.BASE_URL)
})

test('every variable exists, and the secrets made by the instructions switch from SQLite to PostgreSQL', () => {
  const folder = temporaryFolder()
  const variableNames = describeConfig(variables, {}, folder).found.map(({ name }) => name)
  const readFiles = ({ env_file: files }: z.output<typeof Service>) =>
    Object.assign({}, ...files.map(({ path }) => parseEnv(readFileSync(join(folder, path), 'utf8'))))
  const makeSecrets = blocksOf(sample('docs/install.md'), 'sh').find((block) => block.includes('secrets/toolbox.env'))!
  execFileSync('sh', ['-ec', makeSecrets], { cwd: folder })
  const { postgres } = compose.services
  expect(postgres!.env_file.map(({ required }) => required)).toEqual([true])
  const { POSTGRES_PASSWORD: password } = readFiles(postgres!)
  expect(postgres!.environment).toEqual({ POSTGRES_USER: 'toolbox', POSTGRES_DB: 'toolbox' })
  for (const [, service] of ours) {
    expect(service.env_file.map(({ required }) => required)).toEqual([false])
    expect(readConfig(variables, service.environment, folder)).toMatchObject({
      databaseUrl: undefined,
      baseUrl: settings.BASE_URL,
    })
    const whole = { ...readFiles(service), ...service.environment }
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(whole)))
    expect(readConfig(variables, whole, folder).databaseUrl).toBe(`postgres://toolbox:${password}@postgres/toolbox`)
  }
})
