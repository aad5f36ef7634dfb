import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'

/** Headers of every response, except on anonymous routes, which other sites may embed. */
export function secureHeaders({ baseUrl }: Config): Record<string, string> {
  return {
    'content-security-policy': policy({ 'frame-ancestors': "'none'" }),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

/** The content security policy of a page: allows our own files, and the inline scripts in this HTML. */
export function pagePolicy(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)].map(([, code]) => code ?? '')
  const hashes = scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`)
  return policy({
    'script-src': ["'self'", ...hashes].join(' '),
    'style-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
  })
}

const policy = (directives: Record<string, string>) =>
  Object.entries({ 'default-src': "'none'", 'base-uri': "'none'", ...directives })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const ofClients = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']
const hasForwardedHeaders = ({ headers }: FastifyRequest) => ofClients.some((name) => headers[name] !== undefined)

/** The headers that different proxies add. */
const forwarding =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-(?:real|client|cluster-client)-ip|(?:true-client|cf-connecting)-ip)$/
export const isForwarded = ({ headers }: FastifyRequest) => Object.keys(headers).some((name) => forwarding.test(name))

/** Whether Host names this machine. A website whose name resolves here (DNS rebinding) could read the response. */
export const namesThisMachine = ({ headers }: FastifyRequest) =>
  /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(headers.host ?? '')

/** The target without the scheme and host that clients of proxies send; that host replaces Host (RFC 9112, 3.2.2). */
export function originForm({ url = '/', headers }: FastifyRequest['raw']): string {
  const [, host, rest] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined || rest === undefined) return url
  headers.host = host
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Strips the client's port, which some proxies add, from X-Forwarded-For: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
export function dropForwardedPorts({ headers }: FastifyRequest['raw']): void {
  const addresses = headers['x-forwarded-for']
  if (addresses === undefined) return
  const dropPort = (address: string) => address.trim().replace(/^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/, '$1$2')
  headers['x-forwarded-for'] = [addresses].flat().join(',').split(',').map(dropPort).join(', ')
}

/** Warns once that a proxy's headers are ignored, which explains why every client address is the proxy's. */
export function forwardedWarning({ trustProxy }: Config, log: Logger): (request: FastifyRequest) => void {
  let quiet = trustProxy !== false
  return (request) => {
    if (quiet || !hasForwardedHeaders(request)) return
    quiet = true
    log.warn('X-Forwarded-* headers are being ignored. If ToolBox runs behind your own proxy, set TRUST_PROXY.')
  }
}
