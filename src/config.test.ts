import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { variables } from './config.ts'
import { describeConfig, readConfig as read, warningsOf } from './platform/config/config.ts'
import { ConfigError, type Env } from './platform/config/env.ts'
import { hours, minutes, seconds } from './shared/time.ts'

const readConfig = (env: Env, folder: string) => read(variables, env, folder)

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const secret = 'a secret of more than thirty-two characters'
const mistakesOf = (env: Record<string, string>) => {
  try {
    readConfig({ APP_SECRET: secret, ...env }, folder)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

test('is complete without any variable, on SQLite and loopback', () => {
  const config = readConfig({}, folder)
  expect(config).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    baseUrl: 'http://localhost:3000',
    origins: ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'],
    dataDir: join(folder, 'data'),
    databaseUrl: undefined,
    signUp: 'open',
    requireSecondFactor: 'none',
    admin: undefined,
    discord: undefined,
    discordUrl: 'https://discord.com',
    githubCamoUrl: 'https://camo.githubusercontent.com',
    allowPrivateCidrs: [],
    trustProxy: false,
    isAddressed: false,
    metricsToken: undefined,
    keepaliveEvery: minutes(28),
    ghmdinvalidatorEvery: hours(12),
    keepaliveTimeout: seconds(60),
    badgeNewTagsPerHour: 10_000,
    relayRetry: [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200].map(seconds),
    logLevel: 'info',
  })
})

test('a damaged secret file stops the start instead of being replaced', () => {
  readConfig({}, folder)
  write('data/app-secret', 'cut')
  expect(() => readConfig({}, folder)).toThrow(/APP_SECRET .*damaged/)
  expect(readFileSync(join(folder, 'data', 'app-secret'), 'utf8')).toBe('cut')
})

test('lists all mistakes in one message', () => {
  const mistakes = mistakesOf({
    PORT: '70000',
    BASE_URL: 'https://example.com/tools',
    SIGN_UP: 'maybe',
    KEEPALIVE_EVERY: '28 minutes',
    RELAY_RETRY: '5s,,5x',
    ALLOW_PRIVATE_CIDRS: '10.0.0.0/8, 10.0.0.0/99',
    TRUST_PROXY: 'yes',
    LOG_LEVEL: 'loud',
    APP_SECRET: 'short',
    DATABASE_URL: 'mysql://x',
    ADMIN_EMAIL: 'nobody@example',
    MAIL_FROM: 'ToolBox <>',
    GITHUB_URL: 'github.com',
    GITHUB_TOKEN_FILE: '/nowhere/token',
  })
  expect([...mistakes].sort()).toEqual([
    'ADMIN_EMAIL must be an email address.',
    'ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.',
    'ALLOW_PRIVATE_CIDRS contains "10.0.0.0/99", which is not an address range such as 10.0.0.0/8.',
    'APP_SECRET must have at least 32 characters.',
    'BASE_URL must contain only scheme, host and port.',
    'DATABASE_URL must be a postgres://… URL; leave it unset for SQLite.',
    'GITHUB_TOKEN_FILE points to /nowhere/token, which cannot be read.',
    'GITHUB_URL must be a URL such as https://example.com.',
    'KEEPALIVE_EVERY must be a duration such as 90s, 28m, 12h or 500ms, and at most 365d.',
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.',
    'MAIL_FROM must be an email address such as ToolBox <toolbox@example.com>.',
    'PORT must be a whole number from 1 to 65535.',
    'RELAY_RETRY contains "5x", which is not a duration of at most 365d, such as 90s or 28m.',
    'RELAY_RETRY contains an empty item.',
    'SIGN_UP must be one of open, approval, closed.',
    'TRUST_PROXY contains "yes", which is not an address range such as 10.0.0.0/8.',
  ])
})

test('rejects a timeout above its maximum', () => {
  expect(mistakesOf({ KEEPALIVE_TIMEOUT: '30d' })).toEqual([
    'KEEPALIVE_TIMEOUT must be a duration such as 90s, 28m, 12h or 500ms, and at most 1h.',
  ])
})

test('checks variables that belong together even if others are wrong', () => {
  const wrong = { SIGN_UP: 'maybe', DATABASE_URL: 'postgres://db/x', APP_SECRET: '', ADMIN_EMAIL: 'a@example.com' }
  expect([...mistakesOf(wrong)].sort()).toEqual([
    'ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.',
    'APP_SECRET must be set with PostgreSQL: every instance needs the same one.',
    'SIGN_UP must be one of open, approval, closed.',
  ])
  expect([...mistakesOf({ SIGN_UP: 'maybe', ADMIN_EMAIL: 'nobody' })].sort()).toEqual([
    'ADMIN_EMAIL must be an email address.',
    'ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.',
    'SIGN_UP must be one of open, approval, closed.',
  ])
})

test('.env.example contains every variable, and no others', () => {
  const example = readFileSync(join(import.meta.dirname, '..', '.env.example'), 'utf8')
  const documented = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name)
  expect(documented.sort()).toEqual(
    describeConfig(variables, {}, folder)
      .found.map(({ name }) => name)
      .sort(),
  )
})

test('reads a value from a file, and prefers the environment to .env', () => {
  write('secret', `${secret}\n`)
  write('.env', `PORT=4000\nHOST="0.0.0.0" # everywhere\nAPP_SECRET=${secret}-of-dotenv`)
  const config = readConfig({ PORT: '5000', APP_SECRET_FILE: 'secret' }, folder)
  expect(config).toMatchObject({ port: 5000, host: '0.0.0.0', appSecret: secret })
})

test('rejects a value that is given both directly and by file', () => {
  write('secret', secret)
  expect(mistakesOf({ APP_SECRET_FILE: 'secret' })).toEqual([
    'APP_SECRET and APP_SECRET_FILE are both set. Remove one of them.',
  ])
})

test('rejects a DATABASE_URL with certificates that cannot be read', () => {
  expect(mistakesOf({ DATABASE_URL: 'postgres://db/x?sslrootcert=/nope&sslkey=/nope.key' })).toEqual([
    'DATABASE_URL names /nope as its sslrootcert, which cannot be read.',
    'DATABASE_URL names /nope.key as its sslkey, which cannot be read.',
  ])
})

test('interprets sslmode like libpq, and rejects unsupported values with the valid choices', () => {
  const urlOf = (url: string) => readConfig({ APP_SECRET: secret, DATABASE_URL: url }, folder).databaseUrl ?? ''
  const file = join(folder, 'ca.pem')
  write('ca.pem', 'a certificate')
  const parsed = (url: string): unknown => Reflect.get(new pg.Client({ connectionString: urlOf(url) }), 'ssl')
  expect(parsed('postgres://db/x')).toBe(false)
  expect(parsed('postgres://db/x?sslmode=disable')).toBe(false)
  expect(parsed('postgres://db/x?sslmode=require')).toEqual({ rejectUnauthorized: false })
  expect(parsed(`postgres://db/x?sslmode=require&sslrootcert=${encodeURIComponent(file)}`)).toEqual({
    ca: 'a certificate',
    checkServerIdentity: expect.any(Function),
  })
  expect(parsed('postgres://db/x?sslmode=verify-full')).toEqual({})
  expect(parsed('postgres://db/x?sslmode=no-verify')).toEqual({ rejectUnauthorized: false })
  const choice = 'write sslmode=disable, require, verify-ca, verify-full or no-verify.'
  expect(mistakesOf({ DATABASE_URL: 'postgres://db/x?sslmode=prefer' })).toEqual([
    `DATABASE_URL has sslmode=prefer; ${choice}`,
  ])
  expect(mistakesOf({ DATABASE_URL: 'postgres://db/x', DATABASE_URL_DIRECT: 'postgres://db/x?ssl=false' })).toEqual([
    `DATABASE_URL_DIRECT has ssl=false; ${choice}`,
  ])
  expect(mistakesOf({ DATABASE_URL: 'postgres://db/x?sslmode=verify-ca' })).toEqual([
    'DATABASE_URL has sslmode=verify-ca, so its sslrootcert must name the file of a certificate authority.',
  ])
})

test('accepts a database URL with its host in a parameter, such as the folder of a socket', () => {
  for (const url of ['postgres://u:p@/db?host=/run/postgresql', 'postgresql://u:p@:5433/db?host=/run/postgresql']) {
    const { databaseUrl = '' } = readConfig({ APP_SECRET: secret, DATABASE_URL: url }, folder)
    expect(new pg.Client({ connectionString: databaseUrl }), url).toMatchObject({
      host: '/run/postgresql',
      user: 'u',
      password: 'p',
      database: 'db',
    })
  }
})

test('reads .env in UTF-8, or in UTF-16 with a byte order mark, and rejects other encodings', () => {
  const text = 'SIGN_UP=closed\r\nPORT=3499\r\n'
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le')
  for (const bytes of [Buffer.from(`\uFEFF${text}`), utf16, Buffer.from(utf16).swap16()]) {
    writeFileSync(join(folder, '.env'), bytes)
    expect(readConfig({}, folder)).toMatchObject({ signUp: 'closed', port: 3499 })
  }
  writeFileSync(join(folder, 'secret'), Buffer.from(`\uFEFF${secret}\r\n`, 'utf16le'))
  expect(readConfig({ APP_SECRET_FILE: 'secret' }, folder).appSecret).toBe(secret)
  writeFileSync(join(folder, '.env'), Buffer.from(text, 'utf16le'))
  expect(() => readConfig({}, folder)).toThrow('.env is no text in UTF-8, or in UTF-16 with a byte order mark.')
})

test('warns of misspelled variables, and of proxy variables, which are not used', () => {
  write('.env', 'SIGNUP=closed\nAPP_SECERT=x\n')
  const env = {
    sign_up: 'closed',
    BASE_URLS: 'x',
    DATA_DIT: 'x',
    PORT: '1',
    PATH: '/bin',
    PORT_FILE: '',
    https_proxy: 'x',
  }
  expect(warningsOf(variables, env, folder)).toEqual([
    'APP_SECERT is no variable of ToolBox. Is APP_SECRET meant?',
    'SIGNUP is no variable of ToolBox. Is SIGN_UP meant?',
    'sign_up is no variable of ToolBox. Is SIGN_UP meant?',
    'BASE_URLS is no variable of ToolBox. Is BASE_URL meant?',
    'DATA_DIT is no variable of ToolBox. Is DATA_DIR meant?',
    'https_proxy is ignored: ToolBox connects to targets itself, since it checks each address.',
  ])
})

test.each([
  ['127.0.0.1', 'http://localhost:3000'],
  ['0.0.0.0', 'http://localhost:3000'],
  ['::', 'http://localhost:3000'],
  ['::1', 'http://[::1]:3000'],
  ['192.0.2.7', 'http://localhost:3000'],
])('without BASE_URL, listening on %s makes the address %s', (HOST, address) => {
  const { baseUrl, origins } = readConfig({ HOST }, folder)
  expect(baseUrl).toBe(address)
  expect(origins).toContain(address)
})

test('treats an empty variable as not set', () => {
  expect(readConfig({ PORT: '', BASE_URL: ' ' }, folder).port).toBe(3000)
})

test('BASE_URL is the only origin, without its trailing slash', () => {
  const config = readConfig({ APP_SECRET: secret, BASE_URL: 'https://Tools.example.com/' }, folder)
  expect(config.baseUrl).toBe('https://tools.example.com')
  expect(config.origins).toEqual(['https://tools.example.com'])
})

test('the first admin requires all three of its variables, and a provider both of its variables', () => {
  expect(mistakesOf({ ADMIN_EMAIL: 'a@example.com', ADMIN_USERNAME: 'admin' })).toHaveLength(1)
  const config = readConfig(
    {
      APP_SECRET: secret,
      ADMIN_EMAIL: 'A@Example.com',
      ADMIN_USERNAME: 'admin',
      ADMIN_PASSWORD: 'correct horse battery',
      DISCORD_CLIENT_ID: '1',
      DISCORD_CLIENT_SECRET: 's',
    },
    folder,
  )
  expect(config.admin?.email).toBe('a@example.com')
  expect(config.discord).toEqual({ id: '1', secret: 's' })
  expect(config.github).toBeUndefined()
})

test('an incomplete sign-in provider is not offered, and is listed with its missing variables', () => {
  const config = readConfig({ DISCORD_CLIENT_ID: '1', GITHUB_CLIENT_SECRET: 's', OIDC_CLIENT_ID: '1' }, folder)
  expect(config).toMatchObject({
    discord: undefined,
    github: undefined,
    oidc: undefined,
    halfProviders: [
      { name: 'Discord', unset: ['DISCORD_CLIENT_SECRET'] },
      { name: 'GitHub', unset: ['GITHUB_CLIENT_ID'] },
      { name: 'OpenID', unset: ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET'] },
    ],
  })
  expect(readConfig({ DISCORD_CLIENT_ID: '1', DISCORD_CLIENT_SECRET: 's' }, folder).halfProviders).toEqual([])
})

test('an OpenID provider has a name and scopes, and its issuer is kept as written', () => {
  const client = { OIDC_CLIENT_ID: '1', OIDC_CLIENT_SECRET: 's' }
  const oidcOf = (env: Env) => readConfig({ ...client, ...env }, folder).oidc
  expect(oidcOf({ OIDC_ISSUER: 'https://id.example.com/a/' })).toEqual({
    issuer: 'https://id.example.com/a/',
    client: { id: '1', secret: 's' },
    name: 'OpenID',
    scopes: ['openid', 'email', 'profile'],
    rolesClaim: undefined,
  })
  const more = { OIDC_NAME: 'Our Login', OIDC_SCOPES: 'openid groups', OIDC_ROLES_CLAIM: 'groups' }
  expect(oidcOf({ OIDC_ISSUER: 'http://localhost:8080', ...more })).toMatchObject({
    name: 'Our Login',
    scopes: ['openid', 'groups'],
    rolesClaim: 'groups',
  })
  for (const OIDC_ISSUER of [
    'id.example.com',
    'ftp://id.example.com',
    'https://a@b.c',
    'https://b.c?x',
    'https://b.c#x',
  ])
    expect(mistakesOf({ OIDC_ISSUER }), OIDC_ISSUER).toHaveLength(1)
  for (const OIDC_SCOPES of ['email profile', 'openid,email', 'openid  email'])
    expect(mistakesOf({ OIDC_SCOPES }), OIDC_SCOPES).toHaveLength(1)
})
