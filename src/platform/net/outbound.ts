import type { Instant, Milliseconds } from '../../shared/time.ts'

/** Why no response arrived. `internal` is our own failure, never the target's; `busy`: too many visits go there. */
export type OutboundFailure = 'dns' | 'connect' | 'tls' | 'timeout' | 'http' | 'blocked' | 'internal' | 'busy'

export type Visitor = {
  ownerId: string
  /** Whether this is a retry after a `busy` failure's `wait`. */
  hasWaited?: boolean
}

export type OutboundRequest = {
  /** Absent for the server's own calls, which are not limited. */
  visitor?: Visitor
  method?: string
  headers?: Record<string, string>
  /** Headers that only the first URL's origin receives. */
  ownHeaders?: Record<string, string>
  body?: string | Uint8Array
  /** For the whole exchange, including name lookups and redirects. */
  timeout: Milliseconds
  /** Maximum bytes of the decompressed body; if 0 or absent, the body is not read and the connection is closed. */
  maxBytes?: number
  /** Accepts the received part of a body that is too long, breaks off or can't be decompressed, instead of failing. */
  partialBody?: boolean
  /** Maximum redirects to follow; if 0 or absent, the result is the redirect itself. */
  redirects?: number
  /** Whether to report when the certificate of the first URL expires. */
  reportsCertificate?: boolean
  /** An origin that may have any address in this request: the operator configured it, and no user can choose it. */
  exempt?: string
}
export type OutboundAnswer =
  | {
      answered: true
      status: number
      /** Names are in lower case; several values of one name are joined by a comma. */
      headers: Record<string, string>
      body: Uint8Array
      /** Why a partial body is incomplete, unless it is just too long. */
      brokenOff?: { failure: OutboundFailure; note: string }
      url: string
      /** From the start to the final response's headers. */
      duration: Milliseconds
      certifiedUntil?: Instant
    }
  | {
      answered: false
      failure: OutboundFailure
      note: string
      duration: Milliseconds
      wait?: Milliseconds
    }

/** A WebSocket to hold open for `time`; `timeout` is for opening it. */
type HoldRequest = Pick<OutboundRequest, 'visitor' | 'timeout'> & { protocol: string; time: Milliseconds }
export type HoldResult = { held: true } | { held: false; failure: OutboundFailure; note: string; wait?: Milliseconds }

export type Outbound = {
  /** Why this URL may not be registered, as a sentence. Checks a name only for its port: visits check its addresses. */
  refusalReason(url: string, ownerId: string): Promise<string | undefined>
  /** Never throws: every failure is a value. Checks every address when connecting to it, also after a redirect. */
  request(url: string, options: OutboundRequest): Promise<OutboundAnswer>
  /** Opens a WebSocket at an http or https URL, and closes it after `time`; drops received data. Never throws. */
  hold(url: string, options: HoldRequest): Promise<HoldResult>
  /** Aborts requests in flight; they, and all later ones, fail as `internal`. */
  close(): Promise<void>
}
