import type { FastifyRequest } from 'fastify'
import type { SessionUser } from '../../../shared/user.ts'

/** Who makes this request, and by what right. `scopes` are an API key's; a session may do both. */
export type Caller = {
  user: Omit<SessionUser, 'providers'>
  via: { kind: 'session'; sessionId: string; token: string } | { kind: 'key'; keyId: string; name: string }
  scopes: readonly ('read' | 'write')[]
}

/** The API key a request shows. While it shows one, right or wrong, its cookies say nothing of who it is. */
export const keyIn = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(tbx_.*)$/i.exec(headers.authorization ?? '')?.[1]

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for all of /api/v1 before a route's guard runs; undefined when nobody is signed in. */
    caller: Caller | undefined
  }
}
