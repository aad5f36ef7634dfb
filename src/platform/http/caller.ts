import type { FastifyRequest } from 'fastify'
import type { SessionUser } from '../../shared/user.ts'

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
