import type {} from 'fastify'
import type { SessionUser } from '../../shared/user.ts'

/** Who makes this request, and by what right. `scopes` are an API key's; a session may do both. */
export type Caller = {
  user: Omit<SessionUser, 'providers'>
  via: { kind: 'session'; sessionId: string; token: string } | { kind: 'key'; keyId: string; name: string }
  scopes: readonly ('read' | 'write')[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for all of /api/v1 before a route's guard runs; undefined when nobody is signed in. */
    caller: Caller | undefined
  }
}
