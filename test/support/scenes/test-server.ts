import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { Config } from '../../../src/platform/config/config.ts'
import { openSecrets } from '../../../src/platform/crypto/secrets.ts'
import { createHealth } from '../../../src/platform/health.ts'
import type { Caller } from '../../../src/platform/http/app.ts'
import { createServer } from '../../../src/platform/http/server.ts'
import { logOptions } from '../../../src/platform/log.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import type { Milliseconds } from '../../../src/shared/time.ts'
import type { Roles } from '../../../src/shared/user.ts'

const testConfig: Config = {
  port: 0,
  host: '127.0.0.1',
  baseUrl: 'http://localhost:3000',
  origins: ['http://localhost:3000'],
  dataDir: '/dev/null',
  databaseUrl: undefined,
  databaseUrlDirect: undefined,
  isAddressed: false,
  metricsToken: undefined,
  appSecret: 'a secret for tests of at least 32 characters',
  isSecretKept: false,
  previousAppSecret: undefined,
  discordUrl: 'https://discord.com',
  githubUrl: 'https://github.com',
  githubApiUrl: 'https://api.github.com',
  githubCamoUrl: 'https://camo.githubusercontent.com',
  allowPrivateCidrs: [],
  trustProxy: false,
  logLevel: 'info',
}

const nobody: Roles = { Admin: 0, Tools: 0 }

export function callerWith(roles: Partial<Roles>, by: Partial<Caller> = {}): Caller {
  const user = {
    id: 'u1',
    name: 'Ada',
    email: 'ada@example.org',
    emailVerified: true,
    status: 2,
    tags: [],
    credUsername: null,
  }
  return {
    user: { ...user, roles: { ...nobody, ...roles } },
    via: { kind: 'session', sessionId: 's1', token: 'token', isProven: true },
    scopes: ['read', 'write'],
    ...by,
  }
}
export const byKey: Pick<Caller, 'via'> = { via: { kind: 'key', keyId: 'k1', name: 'deploy' } }

type Given = {
  config?: Partial<Config>
  identify?: (request: FastifyRequest) => Caller | undefined | Promise<Caller | undefined>
  lastAnswers?: Milliseconds
  bodyTime?: Milliseconds
}

/** A server whose caller is the one that `identify` returns; `lines` collects its log. */
export async function testServer(options: Given = {}) {
  const lines: string[] = []
  const log = pino({ ...logOptions(), hooks: {}, level: 'info' }, { write: (line: string) => lines.push(line) })
  const config = { ...testConfig, ...options.config }
  const identify = async (request: FastifyRequest) => options.identify?.(request)
  const health = createHealth(() => performance.now())
  const app = await createServer({ ...options, config, log, identify })
  return { app, lines, config, log, health, identify, secrets: openSecrets(config), metrics: createMetrics() }
}
