import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { SessionUser } from '../../shared/user.ts'

/** The server that routes are mounted on. Bodies, queries and answers are typed by their zod schemas. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>
/** Who makes a request, by its session cookie or API key; undefined if nobody is signed in. */
export type Identify = (request: FastifyRequest) => Promise<Caller | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** For routes without a guard that want to know nonetheless. */
    identify: Identify
  }
}

/** Who makes this request, and with which rights. `isProven` if they signed in or proved who they are within ten minutes. `scopes` are those of an API key; a session has both. */
export type Caller = {
  user: Omit<SessionUser, 'providers'>
  via:
    | { kind: 'session'; sessionId: string; token: string; isProven: boolean }
    | { kind: 'key'; keyId: string; name: string }
  scopes: readonly ('read' | 'write')[]
  /** Only what sets up a second factor is allowed. */
  mustSetUp?: boolean
}

/** The API key of a request. If there is one, right or wrong, its cookies are ignored. */
export const keyIn = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(tbx_.*)$/i.exec(headers.authorization ?? '')?.[1]

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for all of /api/v1 before a route's guard runs; undefined if nobody is signed in. */
    caller: Caller | undefined
  }
}
