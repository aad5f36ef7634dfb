import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { SessionUser } from '../../shared/user.ts'

/** The server that routes are mounted on. Zod schemas type bodies, queries and responses. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>
/** Finds a request's caller by session cookie or API key; undefined if the request is not signed in. */
export type Identify = (request: FastifyRequest) => Promise<Caller | undefined>

/** `isProven`: signed in or confirmed identity in the last ten minutes. `scopes`: the API key's; a session has both. */
export type Caller = {
  user: Omit<SessionUser, 'providers'>
  via:
    | { kind: 'session'; sessionId: string; token: string; isProven: boolean }
    | { kind: 'key'; keyId: string; name: string }
  scopes: readonly ('read' | 'write')[]
  /** Whether only calls that set up a second factor are allowed. */
  mustSetUp?: boolean
}

/** The API key of a request. If there is one, valid or not, the cookies are ignored. */
export const keyIn = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(tbx_.*)$/i.exec(headers.authorization ?? '')?.[1]

declare module 'fastify' {
  interface FastifyInstance {
    /** For routes without a guard that still need the caller. */
    identify: Identify
  }
  interface FastifyRequest {
    /** Set for all of /api/v1 before a route's guard runs; undefined if the request is not signed in. */
    caller: Caller | undefined
  }
}
