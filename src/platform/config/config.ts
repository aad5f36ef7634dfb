import { resolve } from 'node:path'
import type { Milliseconds } from '../../shared/time.ts'
import { appSecretFile, keptAppSecret, shortestSecret } from './app-secret.ts'
import * as parse from './config-values.ts'
import { folderInWords } from './data-folder.ts'
import { ConfigError, type Env, type Found, reader, StartError } from './env.ts'

/** Everything the operator decides, read once at start. Paths are absolute; durations are milliseconds. */
export type Config = Readonly<{
  port: number
  host: string
  /** The public address without a trailing slash: used in links, cookies and Origin checks. */
  baseUrl: string
  /** Origins that count as ours: the one of baseUrl, or the three loopback names while BASE_URL is unset. */
  origins: readonly string[]
  dataDir: string
  /** postgres://… or undefined for SQLite in dataDir. */
  databaseUrl: string | undefined
  appSecret: string
  signUp: 'open' | 'approval' | 'closed'
  admin: { email: string; username: string; password: string } | undefined
  discord: { id: string; secret: string } | undefined
  github: { id: string; secret: string } | undefined
  discordUrl: string
  githubUrl: string
  githubApiUrl: string
  githubCamoUrl: string
  githubToken: string | undefined
  /** CIDR blocks that registered URLs may reach though they are private. */
  allowPrivateCidrs: readonly string[]
  /** Hop count, or CIDR blocks, whose X-Forwarded-* is believed; false for none. */
  trustProxy: false | number | readonly string[]
  keepaliveEvery: Milliseconds
  ghmdinvalidatorEvery: Milliseconds
  keepaliveTimeout: Milliseconds
  badgeNewTagsPerHour: number
  relayRetry: readonly Milliseconds[]
  logLevel: string
}>

/** The configuration by these variables and the `.env` of this folder. Throws ConfigError with every mistake at once. */
export function readConfig(env: Env, folder: string): Config {
  const { config, mistakes } = read(env, folder)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  if (config.appSecret) return Object.freeze(config)
  try {
    return Object.freeze({ ...config, appSecret: keptAppSecret(config.dataDir) })
  } catch (error) {
    const words = folderInWords(error, config.dataDir)
    if (words) throw new StartError(words, { cause: error })
    throw new ConfigError([`APP_SECRET ${(error as Error).message}.`])
  }
}

/** Every variable as text, secrets masked, and where it came from; and what is wrong with them. Writes nothing. */
export function describeConfig(env: Env, folder: string): { found: readonly Found[]; mistakes: readonly string[] } {
  const { config, found, mistakes } = read(env, folder)
  const secretFile = config.databaseUrl ? undefined : `kept in ${appSecretFile(config.dataDir)}`
  const followed: Record<string, string | undefined> = { BASE_URL: config.baseUrl, APP_SECRET: secretFile }
  const shown = found.map((one) => ({ ...one, text: masked(one) ?? followed[one.name] }))
  return { found: shown, mistakes }
}

function masked({ name, text }: Found): string | undefined {
  if (text && /SECRET|PASSWORD|TOKEN$/.test(name)) return '••••••'
  return name === 'DATABASE_URL' ? text?.replace(/\/\/[^/@]*@/, '//••••••@') : text
}

function read(env: Env, folder: string) {
  const { value, mistakes, found } = reader(env, folder)
  const port = value('PORT', parse.wholeNumber(1, 65_535), '3000')
  const host = value('HOST', parse.words, '127.0.0.1')
  const baseUrl = value('BASE_URL', parse.webOrigin)
  const loopback = ['localhost', '127.0.0.1', '[::1]'].map((name) => new URL(`http://${name}:${port}`).origin)
  const dataDir = resolve(folder, value('DATA_DIR', parse.words, './data'))
  const databaseUrl = value('DATABASE_URL', parse.postgresUrl)
  const appSecret = value('APP_SECRET', parse.atLeast(shortestSecret))
  const config: Config = {
    port,
    host,
    baseUrl: baseUrl ?? `http://localhost:${port}`,
    origins: baseUrl ? [baseUrl] : loopback,
    dataDir,
    databaseUrl,
    appSecret: appSecret ?? '',
    signUp: value('SIGN_UP', parse.oneOf('open', 'approval', 'closed'), 'open'),
    admin: firstAdmin(value, mistakes),
    discord: provider(value, 'DISCORD'),
    github: provider(value, 'GITHUB'),
    discordUrl: value('DISCORD_URL', parse.webAddress, 'https://discord.com'),
    githubUrl: value('GITHUB_URL', parse.webAddress, 'https://github.com'),
    githubApiUrl: value('GITHUB_API_URL', parse.webAddress, 'https://api.github.com'),
    githubCamoUrl: value('GITHUB_CAMO_URL', parse.webAddress, 'https://camo.githubusercontent.com'),
    githubToken: value('GITHUB_TOKEN', parse.words),
    allowPrivateCidrs: value('ALLOW_PRIVATE_CIDRS', parse.listOf(parse.cidr)) ?? [],
    trustProxy: value('TRUST_PROXY', parse.trust) ?? false,
    keepaliveEvery: value('KEEPALIVE_EVERY', parse.duration, '28m'),
    ghmdinvalidatorEvery: value('GHMDINVALIDATOR_EVERY', parse.duration, '12h'),
    keepaliveTimeout: value('KEEPALIVE_TIMEOUT', parse.duration, '60s'),
    badgeNewTagsPerHour: value('BADGE_NEW_TAGS_PER_HOUR', parse.wholeNumber(0, 1e9), '10000'),
    relayRetry: value('RELAY_RETRY', parse.listOf(parse.duration), '5s,30s,2m,10m,30m,1h,3h,6h,12h'),
    logLevel: value('LOG_LEVEL', parse.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info'),
  }
  if (databaseUrl && !appSecret && !mistakes.some((mistake) => mistake.startsWith('APP_SECRET')))
    mistakes.push('APP_SECRET must be given with PostgreSQL: every instance needs the same one.')
  return { config, mistakes, found }
}

type Value = ReturnType<typeof reader>['value']

function firstAdmin(value: Value, mistakes: string[]): Config['admin'] {
  const email = value('ADMIN_EMAIL', parse.matching(/^[^\s@]+@[^\s@]+$/, 'must be an email address'))
  const username = value(
    'ADMIN_USERNAME',
    parse.matching(/^[A-Za-z0-9_.-]{3,30}$/, 'must be 3 to 30 letters, digits, dots, hyphens or underscores'),
  )
  const password = value('ADMIN_PASSWORD', parse.matching(/^.{12,128}$/su, 'must have 12 to 128 characters'))
  if (email && username && password) return { email: email.toLowerCase(), username, password }
  const some = [email, username, password].some(Boolean)
  if (some && !mistakes.some((mistake) => mistake.startsWith('ADMIN_')))
    mistakes.push('ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: give all three or none.')
  return undefined
}

/** A provider is offered when both halves are given. */
function provider(value: Value, name: 'DISCORD' | 'GITHUB'): Config['discord'] {
  const [id, secret] = [value(`${name}_CLIENT_ID`, parse.words), value(`${name}_CLIENT_SECRET`, parse.words)]
  return id && secret ? { id, secret } : undefined
}
