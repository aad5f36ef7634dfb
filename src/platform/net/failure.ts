import type { Milliseconds } from '../../shared/time.ts'
import type { OutboundFailure } from './outbound.ts'

/** Why there is no answer, in the words a run's history shows. */
export type Failure = { failure: OutboundFailure; note: string; wait?: Milliseconds }

/** Whether nothing came from the other side, as happens if our own network is down. */
export const isUnreachable = (failure: OutboundFailure): boolean =>
  failure === 'dns' || failure === 'connect' || failure === 'timeout'

export const isFailure = (outcome: object): outcome is Failure => 'failure' in outcome

const failed = (failure: OutboundFailure, words: string): Failure => ({ failure, note: `${failure}: ${words}` })

export const blocked = (what: string): Failure => failed('blocked', what)
export const privateAddress = blocked('private address')
export const timeoutAfter = (timeout: Milliseconds): Failure => ({
  failure: 'timeout',
  note: `timeout after ${timeout / 1_000} s`,
})
export const malformed = failed('http', 'malformed answer')
export const tooManyRedirects: Failure = { failure: 'http', note: 'too many redirects' }
export const bodyOver = (bytes: number): Failure => ({ failure: 'http', note: `body over ${bytes} bytes` })
export const unknownEncoding = failed('http', 'unknown content encoding')
export const noSuchHost = failed('dns', 'no such host')
export const stopped = failed('internal', 'stopped')

/** Too many visits of this owner go to the address; there is a place after that time. */
export const busy = (wait: Milliseconds): Failure => ({
  failure: 'busy',
  note: 'busy: other visits to this address',
  wait,
})

/** An error's code, or its name if it has none; never its message, which may contain addresses and secrets. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

export const internal = (error: unknown): Failure => failed('internal', codeOf(error))

// A name server that can't be reached at all is our own failure (and looks the same as if file descriptors had run out).
const dnsWords: Record<string, string> = {
  ENOTFOUND: 'no such host',
  ENODATA: 'no such host',
  ENONAME: 'no such host',
  EBADNAME: 'no such host',
  EBADQUERY: 'no such host',
  EAI_NONAME: 'no such host',
  EAI_NODATA: 'no such host',
  ESERVFAIL: 'the name server failed',
  EFORMERR: 'the name server failed',
  ENOTIMP: 'the name server failed',
  EBADRESP: 'the name server failed',
  EREFUSED: 'the name server refused',
  ETIMEOUT: 'no answer',
  EAI_AGAIN: 'no answer',
}
export const dnsFailure = (error: unknown): Failure => {
  const failure = known('dns', dnsWords, error)
  return failure.note === noSuchHost.note ? noSuchHost : failure
}

const connectWords: Record<string, string> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'unreachable',
}
export const connectFailure = (error: unknown): Failure => known('connect', connectWords, error)

const tlsWords: Record<string, string> = {
  CERT_HAS_EXPIRED: 'certificate expired',
  CERT_NOT_YET_VALID: 'certificate not yet valid',
  CERT_REVOKED: 'certificate revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown certificate authority',
  CERT_CHAIN_TOO_LONG: 'certificate not valid',
  CERT_SIGNATURE_FAILURE: 'certificate not valid',
  CERT_REJECTED: 'certificate not valid',
  CERT_UNTRUSTED: 'certificate not valid',
  INVALID_CA: 'certificate not valid',
  INVALID_PURPOSE: 'certificate not valid',
  HOSTNAME_MISMATCH: 'certificate for another name',
  EPROTO: 'handshake failed',
  ECONNRESET: 'handshake failed',
  EPIPE: 'handshake failed',
}
/** OpenSSL has more codes than we have words for; whatever it refuses, the target's certificate or handshake is the reason. */
export function tlsFailure(error: unknown): Failure {
  const code = codeOf(error)
  if (isOurs(code)) return internal(error)
  return failed('tls', tlsWords[code] ?? 'handshake failed')
}

const isOurs = (code: string) =>
  !/^[A-Z0-9_]+$/.test(code) || /^ERR_(?!SSL_|TLS_|OSSL_)/.test(code) || /^(EMFILE|ENFILE|ENOMEM|ENOBUFS)$/.test(code)

/** What failed while waiting for the answer or reading it. */
export function httpFailure(error: unknown): Failure {
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') return failed('http', 'headers too large')
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL_') || code === 'EPROTO') return malformed
  return connectFailure(error)
}

/** What failed while decompressing a body. */
export function unpackFailure(error: unknown): Failure {
  const code = codeOf(error)
  return /^(Z_(DATA|BUF|NEED)|ERR_(_ERROR|BROTLI))/.test(code) ? malformed : internal(error)
}

const known = (failure: OutboundFailure, words: Record<string, string>, error: unknown): Failure => {
  const text = words[codeOf(error)]
  return text === undefined ? internal(error) : failed(failure, text)
}
