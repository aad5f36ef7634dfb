import type { Instant, Milliseconds } from '../../shared/time.ts'

/** What went wrong before an answer came. `internal` is our own failure, never the target's; `busy` means that too many visits go there. */
export type OutboundFailure = 'dns' | 'connect' | 'tls' | 'timeout' | 'http' | 'blocked' | 'internal' | 'busy'

/** On whose behalf somebody's host is visited. */
export type Visitor = {
  ownerId: string
  /** It was told before that its address is busy, and comes back as it was told. */
  hasWaited?: boolean
}

export type OutboundRequest = {
  /** Absent for calls of the server's own, which are not limited. */
  visitor?: Visitor
  method?: string
  headers?: Record<string, string>
  /** Headers that only the first URL's origin may see. */
  ownHeaders?: Record<string, string>
  body?: string | Uint8Array
  /** For the whole exchange, including name look-ups and redirects. */
  timeout: Milliseconds
  /** Maximum bytes of body to read, after decompression; if 0 or absent, the body is not read and the connection is closed. */
  maxBytes?: number
  /** Takes what has come of a body that is longer, breaks off or can't be unpacked, which otherwise is a failure. */
  partialBody?: boolean
  /** Maximum redirects to follow; if 0 or absent, the answer is the redirect itself. */
  redirects?: number
  /** Also tells until when the certificate of the first URL is valid. */
  tellsCertificate?: boolean
  /** An origin that may have any address in this request, since the operator configured it and nobody else chooses the URL. */
  exempt?: string
}
export type OutboundAnswer =
  | {
      answered: true
      status: number
      /** Names are in lower case; several values of one name are joined by a comma. */
      headers: Record<string, string>
      body: Uint8Array
      /** Why a partial body ends before its end, other than by being longer. */
      brokenOff?: { failure: OutboundFailure; note: string }
      url: string
      /** From the start to the final answer's headers. */
      duration: Milliseconds
      /** Until when the certificate of the first URL is valid, if it has one and that was asked for. */
      certifiedUntil?: Instant
    }
  | {
      answered: false
      failure: OutboundFailure
      note: string
      duration: Milliseconds
      /** If busy, when to come back. */
      wait?: Milliseconds
    }

/** A WebSocket that is held for some time; `timeout` is for opening it. */
type HoldRequest = Pick<OutboundRequest, 'visitor' | 'timeout'> & { protocol: string; time: Milliseconds }
export type Held = { held: true } | { held: false; failure: OutboundFailure; note: string; wait?: Milliseconds }

export type Outbound = {
  /** Why this URL may not be registered, as a sentence for its owner; undefined if it may. Names are looked up only for a port that is not allowed everywhere: at each visit, the check at connect time decides. */
  refuse(url: string, ownerId: string): Promise<string | undefined>
  /** Never throws: every failure is a value. Every address is checked when connecting to it, also on each redirect. */
  request(url: string, options: OutboundRequest): Promise<OutboundAnswer>
  /** Opens a WebSocket by an http or https URL, and closes it after that time; drops what comes. Never throws. */
  hold(url: string, options: HoldRequest): Promise<Held>
  /** Ends requests in flight; they, and all later ones, fail as `internal`. */
  close(): Promise<void>
}
