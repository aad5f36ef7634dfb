import fc from 'fast-check'
import * as z from 'zod'
import type { Operation, Schema } from './operations.ts'
import { type FuzzRequest, requestsOf } from './requests.ts'
import type { Known } from './values.ts'

export type FuzzAnswer = { status: number; type: string; text: string }

/** Sends `count` requests, one after another. Throws with the smallest one that gets a wrong response. */
export async function fuzz<Who extends string>(options: {
  operations: readonly Operation[]
  callers: readonly Who[]
  knownValues: Known
  send: (request: FuzzRequest<Who>) => Promise<FuzzAnswer>
  count: number
  seed: number
  onAnswer?: (request: FuzzRequest<Who>, answer: FuzzAnswer) => void
}): Promise<void> {
  const { operations, callers, knownValues, send, count, seed, onAnswer } = options
  const requests = requestsOf(operations, callers, knownValues)
  const property = fc.asyncProperty(requests, async (request) => {
    const answer = await send(request)
    onAnswer?.(request, answer)
    const why = whyWrong(request.operation, answer)
    if (why !== undefined) throw new Error(`${inWords(request)}\n${why}`)
  })
  const { failed, errorInstance } = await fc.check(property, { numRuns: count, seed })
  if (failed) throw new Error(`seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`)
}

function inWords({ operation: { method }, who, url, type, body }: FuzzRequest): string {
  const sent = body ? ` | ${type}: ${body.toString().slice(0, 500)}` : ''
  return `${who}: ${method} ${url.slice(0, 500)}${sent}`
}

const ErrorBody = z.strictObject({
  error: z.string().min(1),
  fields: z.optional(z.record(z.string(), z.string())),
  reauthenticate: z.optional(z.literal(true)),
})
/** Statuses that any call may return. A malformed URL is a 400 before it is routed to a call. */
const everywhere = new Set([400, 404, 408, 413, 414, 415, 431])
const schemas = new WeakMap<Schema, z.ZodType>()

/** The reason why a response is wrong; undefined if it conforms to the description. */
function whyWrong({ path, answers, others }: Operation, { status, type, text }: FuzzAnswer): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 300)}`
  if (/\bat .+\.ts:\d+|node_modules|SQLITE|relation "/.test(text))
    return `it tells of its insides: ${text.slice(0, 300)}`
  if (others.get(status)?.includes(type.split(';')[0]!)) return undefined
  // Badges are embedded as images, so they show errors as an image too.
  if (type.startsWith('image/svg+xml'))
    return path.includes('badge') && text.startsWith('<svg') ? undefined : 'an image'
  if (status === 302) return answers.has(302) ? undefined : 'an undocumented redirect'
  const body = status === 204 ? undefined : jsonOf(text)
  const described = answers.get(status)
  if (described && fits(described, body)) return undefined
  if (status >= 400 && !answers.has(status) && !everywhere.has(status)) return `${status} is not documented`
  if (status >= 400)
    return ErrorBody.safeParse(body).success ? undefined : `${status} is no error: ${text.slice(0, 300)}`
  if (!answers.has(status)) return `${status} is not documented`
  return described ? `${status} has another shape: ${text.slice(0, 300)}` : undefined
}

function fits(schema: Schema, body: unknown): boolean {
  const validator = schemas.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  schemas.set(schema, validator)
  return validator.safeParse(body).success
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
