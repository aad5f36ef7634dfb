import { join, resolve } from 'node:path'
import * as z from 'zod'
import { appSecretFile, readOrCreateAppSecret, shortestSecret } from './app-secret.ts'
import { describeFolderError } from './data-folder.ts'
import { ConfigError, type Env, StartError, variableNames } from './env.ts'
import { withHostingSslMode } from './hosting.ts'
import {
  atLeast,
  cidrs,
  crossVariableRule,
  oneOf,
  postgresUrl,
  proxies,
  text,
  webAddress,
  webOrigin,
  wholeNumber,
  word,
} from './values.ts'
import { type FoundVariable, misspellingWarnings, readVariables, type Variables } from './variables.ts'

const server = z
  .object({
    PORT: wholeNumber(1, 65_535).prefault('3000'),
    HOST: text.prefault('127.0.0.1'),
    BASE_URL: webOrigin.optional(),
    TRUST_PROXY: proxies.optional(),
    METRICS_TOKEN: word.optional(),
  })
  .transform(({ PORT, HOST, BASE_URL, TRUST_PROXY, METRICS_TOKEN }) => ({
    port: PORT,
    host: HOST,
    /** The public address without a trailing slash: used in links, cookies and Origin checks. */
    baseUrl: BASE_URL ?? ownAddress(HOST, PORT),
    /** Whether BASE_URL is set, which means that other machines use this server. */
    isAddressed: BASE_URL !== undefined,
    /** Origins that count as ours: BASE_URL, or the three loopback names if it is unset. */
    origins: BASE_URL ? [BASE_URL] : loopback.map((name) => originOf(`http://${name}:${PORT}`)),
    /** Hop count or CIDR blocks of the proxies whose X-Forwarded-* headers are trusted; false for none. */
    trustProxy: TRUST_PROXY ?? false,
    metricsToken: METRICS_TOKEN,
  }))
const loopback = ['localhost', '127.0.0.1', '[::1]']
const originOf = (address: string) => new URL(address).origin

/** This server's address without BASE_URL. `localhost` may mean only 127.0.0.1, so ::1 needs its own. */
const ownAddress = (host: string, port: number | string) =>
  host === '::1' ? `http://[::1]:${port}` : `http://localhost:${port}`

const data = z
  .object({
    DATA_DIR: text.prefault('./data'),
    DATABASE_URL: postgresUrl.optional(),
    DATABASE_URL_DIRECT: postgresUrl.optional(),
    APP_SECRET: atLeast(shortestSecret).optional(),
    APP_SECRET_PREVIOUS: atLeast(shortestSecret).optional(),
  })
  .refine(
    ({ DATABASE_URL, APP_SECRET }) => DATABASE_URL === undefined || APP_SECRET !== undefined,
    crossVariableRule('APP_SECRET must be set with PostgreSQL: every instance needs the same one.'),
  )
  .refine(
    ({ DATABASE_URL, DATABASE_URL_DIRECT }) => DATABASE_URL !== undefined || DATABASE_URL_DIRECT === undefined,
    crossVariableRule('DATABASE_URL must be set if DATABASE_URL_DIRECT is.'),
  )
  .refine(
    ({ APP_SECRET, APP_SECRET_PREVIOUS }) => APP_SECRET === undefined || APP_SECRET !== APP_SECRET_PREVIOUS,
    crossVariableRule('APP_SECRET_PREVIOUS must be another secret than APP_SECRET.'),
  )
  .transform(({ DATA_DIR, DATABASE_URL, DATABASE_URL_DIRECT, APP_SECRET, APP_SECRET_PREVIOUS }) => ({
    dataDir: DATA_DIR,
    /** postgres://… or undefined for SQLite in dataDir. */
    databaseUrl: DATABASE_URL,
    /** The same database, bypassing the pooler behind databaseUrl; undefined if there is none. */
    databaseUrlDirect: DATABASE_URL_DIRECT,
    appSecret: APP_SECRET ?? '',
    /** Whether the secret is stored in dataDir because APP_SECRET is unset. */
    isSecretKept: APP_SECRET === undefined,
    /** The previous APP_SECRET, with which stored data may still be sealed and cookies signed. */
    previousAppSecret: APP_SECRET_PREVIOUS,
  }))

const network = z
  .object({
    ALLOW_PRIVATE_CIDRS: cidrs.optional(),
    DISCORD_URL: webAddress.prefault('https://discord.com'),
    GITHUB_URL: webAddress.prefault('https://github.com'),
    GITHUB_API_URL: webAddress.prefault('https://api.github.com'),
    GITHUB_CAMO_URL: webAddress.prefault('https://camo.githubusercontent.com'),
  })
  .transform((variables) => ({
    /** Private CIDR blocks that registered URLs may reach. */
    allowPrivateCidrs: variables.ALLOW_PRIVATE_CIDRS ?? [],
    discordUrl: variables.DISCORD_URL,
    githubUrl: variables.GITHUB_URL,
    githubApiUrl: variables.GITHUB_API_URL,
    githubCamoUrl: variables.GITHUB_CAMO_URL,
  }))

const log = z
  .object({
    LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').prefault('info'),
  })
  .transform(({ LOG_LEVEL }) => ({ logLevel: LOG_LEVEL }))

/** The platform's own variables; features add theirs with `and`. */
export const platformVariables = server.and(data).and(network).and(log)

/** The operator's settings that every feature may use, read at startup. Paths are absolute, durations in ms. */
export type Config = Readonly<z.infer<typeof platformVariables>>

/** Reads the environment and the `.env` in this folder. Throws a ConfigError that lists all mistakes. */
export function readConfig<T extends Config>(variables: Variables<T>, env: Env, folder: string): Readonly<T> {
  const { values, mistakes } = readVariables(variables, env, folder)
  if (!values) throw new ConfigError(mistakes)
  const dataDir = resolve(folder, values.dataDir)
  const [databaseUrl, databaseUrlDirect] = [values.databaseUrl, values.databaseUrlDirect].map(
    (url) => url && withHostingSslMode(env, url),
  )
  return Object.freeze({
    ...values,
    dataDir,
    databaseUrl,
    databaseUrlDirect,
    appSecret: values.appSecret || readAppSecret(dataDir),
  })
}

function readAppSecret(dataDir: string): string {
  try {
    return readOrCreateAppSecret(dataDir)
  } catch (error) {
    const words = describeFolderError(error, dataDir)
    if (words) throw new StartError(words, { cause: error })
    throw new ConfigError([`APP_SECRET ${(error as Error).message}.`])
  }
}

/** Warnings about likely mistakes in the operator's variables, one sentence each. */
export function warningsOf(variables: Variables<Config>, env: Env, folder: string): string[] {
  const names = variableNames(env, folder)
  const proxy = names.find((name) => /^(?:https?|all)_proxy$/i.test(name))
  return [
    ...misspellingWarnings(variables, names),
    ...(proxy ? [`${proxy} is ignored: ToolBox connects to targets itself, since it checks each address.`] : []),
  ]
}

/** Returns every variable as text with secrets masked, its source, and all mistakes. Writes nothing. */
export function describeConfig(
  variables: Variables<Config>,
  env: Env,
  folder: string,
): { found: readonly FoundVariable[]; mistakes: readonly string[] } {
  const { found, mistakes } = readVariables(variables, env, folder)
  const {
    PORT = '',
    HOST = '',
    DATA_DIR = '',
    DATABASE_URL,
  } = Object.fromEntries(found.map(({ name, text }) => [name, text]))
  const derived: Record<string, string | undefined> = {
    BASE_URL: ownAddress(HOST, PORT),
    BACKUP_EVERY: DATABASE_URL ? '0' : '24h',
    BACKUP_DIR: join(resolve(folder, DATA_DIR), 'backups'),
    APP_SECRET: DATABASE_URL ? undefined : `kept in ${appSecretFile(resolve(folder, DATA_DIR))}`,
  }
  return { found: found.map((one) => ({ ...one, text: maskSecret(one) ?? derived[one.name] })), mistakes }
}

function maskSecret({ name, text }: FoundVariable): string | undefined {
  if (text && /SECRET|PASSWORD|PASSPHRASE|TOKEN$/.test(name)) return '••••••'
  if (!/^DATABASE_URL|^SMTP_URL$/.test(name)) return text
  return text?.replace(/(password=)[^&]*/gi, '$1••••••').replace(/\/\/.*@/s, '//••••••@')
}
