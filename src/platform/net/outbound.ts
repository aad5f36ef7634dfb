import type { Milliseconds } from '../../shared/time.ts'

/** What went wrong before an answer came. `internal` is our own trouble and never the target's. */
export type OutboundFailure = 'dns' | 'connect' | 'tls' | 'timeout' | 'http' | 'blocked' | 'internal'

export type OutboundRequest = {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** For the whole exchange, names and redirects included. */
  timeout: Milliseconds
  /** Bytes of body to read at most, after decompression; 0 or absent: the body is not read and the connection is let go. */
  maxBytes?: number
  /** What was asked for is done whatever the body says: one that cannot be read counts as empty. */
  statusSuffices?: boolean
  /** Redirects to follow at most; 0 or absent answers the redirect itself. */
  redirects?: number
  signal?: AbortSignal
}
export type OutboundAnswer =
  | {
      answered: true
      status: number
      /** Names are in lower case; several values of one name are joined by a comma. */
      headers: Record<string, string>
      body: Uint8Array
      /** Where the redirects ended. */
      url: string
      /** From the start to the final answer's headers. */
      duration: Milliseconds
    }
  | { answered: false; failure: OutboundFailure; note: string; duration: Milliseconds }

export type Outbound = {
  /** Why this URL may not be registered, as a sentence for its owner; undefined when it may. Resolves names, gives up on that after 2 s and then lets the connect-time check decide. */
  refuse(url: string): Promise<string | undefined>
  /** Never throws: every failure is a value. Every address is checked when it is connected to, on each redirect too. */
  request(url: string, options: OutboundRequest): Promise<OutboundAnswer>
  /** Ends what is in flight; those requests, and later ones, fail as `internal`. */
  close(): Promise<void>
}
