import type { FastifySchema, RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifySchema {
    /** The statuses of errors that a call's access and input don't tell. */
    failures?: readonly number[]
  }
}

/** What failures are told by: a route, or what answers a request. */
type Described = {
  method: string | string[]
  config?: RouteOptions['config'] | undefined
  schema?: FastifySchema | undefined
}

/** The statuses of the errors that a route may answer. */
export function failuresOf({ method, config = {}, schema = {} }: Described): number[] {
  const { access, keyUse, recentProof } = config
  const needsSession = typeof access === 'object' || access === 'signed in'
  const changes = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const isGuarded = access !== undefined && access !== 'anonymous'
  const mayBeForbidden = isGuarded && (access !== 'open' || changes || keyUse === 'never' || recentProof)
  const statuses: number[] = [500, 503, ...(schema.failures ?? [])]
  if (changes || schema.querystring || schema.params) statuses.push(400)
  if (schema.body) statuses.push(413, 415)
  if (needsSession) statuses.push(401)
  if (needsSession && changes) statuses.push(429)
  if (mayBeForbidden) statuses.push(403)
  return [...new Set(statuses)].sort((one, other) => one - other)
}
