// Exits with 0 if the server in the same container answers: for health checks, because the image has no curl.
import { get } from 'node:http'

const variable = (name, fallback) => process.env[name]?.trim() || fallback
const host = variable('HOST', '127.0.0.1')
const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const end = (isHealthy) => process.exit(isHealthy ? 0 : 1)
get({ host: everywhere[host] ?? host, port: variable('PORT', '3000'), path: '/healthz', timeout: 4_000 })
  .on('response', ({ statusCode }) => end(statusCode === 200))
  .on('timeout', () => end(false))
  .on('error', () => end(false))
