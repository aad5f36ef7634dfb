import type { Milliseconds } from '../../shared/time.ts'
import type { OutboundFailure } from './outbound.ts'

/** Why a request got no response; the run history shows the note. */
export type Failure = { failure: OutboundFailure; note: string; wait?: Milliseconds }

/** Whether the target sent nothing, which also happens when our own network is down. */
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
export const bodyTooLarge = (bytes: number): Failure => ({ failure: 'http', note: `body over ${bytes} bytes` })
export const upgradeRefused = (status: number): Failure => failed('http', `answered ${status} instead of a WebSocket`)
export const closedEarly = failed('http', 'the WebSocket was closed early')
export const noSuchHost = failed('dns', 'no such host')
export const stopped = failed('internal', 'stopped')

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

/** Codes that only this machine or our code can cause; a target can cause any other, e.g. with a TLS alert. */
const internalCodes = /^(?:EMFILE|ENFILE|ENOMEM|ENOBUFS|EFILE|EAI_MEMORY|Z_MEM_ERROR|(?:Type|Range|Reference)Error)$/

const named = (failure: OutboundFailure, error: unknown, words: string): Failure =>
  internalCodes.test(codeOf(error)) ? internal(error) : failed(failure, words)

const dnsWords: Record<string, string> = {
  ENOTFOUND: 'no such host',
  ENODATA: 'no such host',
  ENONAME: 'no such host',
  EBADNAME: 'no such host',
  EBADQUERY: 'no such host',
  EAI_NONAME: 'no such host',
  EAI_NODATA: 'no such host',
  EREFUSED: 'the name server refused',
  ETIMEOUT: 'no answer',
  EAI_AGAIN: 'no answer',
}
export function dnsFailure(error: unknown): Failure {
  const code = codeOf(error)
  // A name server that can't be reached at all is our own failure.
  if (code === 'ECONNREFUSED') return internal(error)
  const failure = named('dns', error, dnsWords[code] ?? 'the name server failed')
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
export const connectFailure = (error: unknown): Failure =>
  named('connect', error, connectWords[codeOf(error)] ?? 'unreachable')

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
  ALERT_CERTIFICATE_REQUIRED: 'a client certificate is required',
  // Over TLS 1.2, a server that requires a client certificate sends only this.
  ALERT_HANDSHAKE_FAILURE: 'handshake refused, perhaps because a client certificate is required',
}
/** Matches an alert without its prefix: the protocol version that OpenSSL puts there is irrelevant. */
const alert = /ALERT_\w+$/
export function tlsFailure(error: unknown): Failure {
  const code = codeOf(error)
  return named('tls', error, tlsWords[alert.exec(code)?.[0] ?? code] ?? 'handshake failed')
}

/** The failure for an error while waiting for a response, reading it or decompressing its body. */
export function httpFailure(error: unknown): Failure {
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') return failed('http', 'headers too large')
  // Over TLS 1.3, a server refuses the handshake after our side has completed it.
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return tlsFailure(error)
  return code in connectWords ? connectFailure(error) : named('http', error, 'malformed answer')
}
