import type { Milliseconds } from '../shared/time.ts'

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
