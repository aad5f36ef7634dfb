import type { FastifySchema, RouteOptions } from 'fastify'
import type { ErrorStatus } from '../../../shared/http-error.ts'
import { accessLevels } from '../../../shared/user.ts'
import type { ErrorBody } from '../errors.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** How a call may fail that its access and its input don't tell, with what it says then. */
    failures?: Failures
  }
}

/** The sentences of errors by their status. */
export type Failures = Readonly<Partial<Record<ErrorStatus, string | readonly string[]>>>

/** What limits say that are the same for many calls. */
export const tooManyVisits = 'Too many checks, tests and runs. Try again in 40 seconds.'
/** What a call says that only sometimes asks for a recent proof. */
export const proofNeeded = "Confirm that it's you to continue."
export const tooManyUrls = 'Too many new URLs. Try again in 40 seconds.'

/** Begins what is said to a user who has made too many changes of one kind within a day. */
export const tooManyToday = 'Too many changes of this kind today.'

/** What failures are told by: a route, or what answers a request. */
type Described = {
  method: string | string[]
  config?: RouteOptions['config'] | undefined
  schema?: FastifySchema | undefined
}

/** The errors that a route may answer by status, with what it says then; nothing where the usual words say it. */
export function failuresOf(route: Described): Map<number, ErrorBody[]> {
  const { config, schema = {} } = route
  const isOpen = typeof config?.access !== 'object' && config?.access !== 'signed in'
  const failures = new Map<number, ErrorBody[]>([
    [500, []],
    [503, []],
  ])
  const may = (status: number, ...says: ErrorBody[]) => {
    failures.set(status, [...(failures.get(status) ?? []), ...says])
  }
  if (changes(route) || schema.querystring || schema.params) may(400)
  if (schema.body) for (const status of [413, 415]) may(status)
  if (!isOpen) may(401)
  if (!isOpen && changes(route)) may(429, { error: `${tooManyToday} Try again in 3 hours.` })
  for (const refusal of refusalsOf(route)) may(403, refusal)
  for (const [status, said] of Object.entries(schema.failures ?? {}))
    may(Number(status), ...[said].flat().map((error) => ({ error })))
  return new Map([...failures].sort(([one], [other]) => one - other))
}

const changes = ({ method }: Described) => [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')

/** Why somebody whom a call knows may still not make it. */
function refusalsOf(route: Described): ErrorBody[] {
  const { access, keyUse, recentProof } = route.config ?? {}
  if (access === undefined || access === 'anonymous') return []
  const refusals: ErrorBody[] = []
  if (typeof access === 'object') refusals.push({ error: `You need ${accessLevels[access[1]]} to ${access[0]}.` })
  if (changes(route)) refusals.push({ error: 'This page is out of date. Reload it and try again.' })
  if (keyUse === 'never') refusals.push({ error: "API keys can't do this. Sign in instead." })
  else if (access !== 'open') refusals.push({ error: `This API key can't ${keyUse === 'read' ? 'read' : 'write'}.` })
  if (recentProof) refusals.push({ error: proofNeeded, reauthenticate: true })
  return refusals
}
