import type { OpenAPIV3_1 } from 'openapi-types'
import type { ErrorBody } from '../errors.ts'

type Response = OpenAPIV3_1.ResponseObject
type Usual = { name: string; description: string; example: ErrorBody }

/** How each status is described where a call has no words of its own for it. */
const usual: Readonly<Record<number, Usual>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is malformed, or a value is not valid.',
    example: { error: 'The field name is missing.', fields: { name: 'This is missing.' } },
  },
  401: { name: 'Unauthorized', description: 'Nobody is signed in.', example: { error: 'Sign in first.' } },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this.',
    example: { error: "Confirm that it's you to continue.", reauthenticate: true },
  },
  404: { name: 'NotFound', description: 'There is no such thing.', example: { error: 'Not found.' } },
  409: {
    name: 'Conflict',
    description: 'This conflicts with what is there.',
    example: { error: 'This email is already in use.', fields: { email: 'This email is already in use.' } },
  },
  413: { name: 'ContentTooLarge', description: 'The body is too large.', example: { error: 'The body is too large.' } },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has another type than the call takes.',
    example: { error: 'Send the body as application/json.' },
  },
  429: {
    name: 'TooManyRequests',
    description: 'This was too often. `Retry-After` says when to try again.',
    example: { error: 'Too many checks. Try again in a minute.' },
  },
  500: {
    name: 'InternalServerError',
    description: 'A bug, which the log of the server explains.',
    example: { error: 'Something went wrong.' },
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'The database or its disk is away.',
    example: { error: "The database isn't answering. Try again in a moment." },
  },
}

const schema = { $ref: '#/components/schemas/Error' }
/** What every 429 says in its headers. */
export const retryAfter = {
  'Retry-After': { description: 'Seconds until the next try.', schema: { type: 'integer' } },
} as const

const answerOf = (status: number, description: string, content: OpenAPIV3_1.MediaTypeObject): Response => ({
  description,
  ...(status === 429 ? { headers: retryAfter } : {}),
  content: { 'application/json': { schema, ...content } },
})

/** The answers to which operations refer, by their names. */
export const usualAnswers: Readonly<Record<string, Response>> = Object.fromEntries([
  ...Object.entries(usual).map(([status, { name, description, example }]) => [
    name,
    answerOf(Number(status), description, { example }),
  ]),
  ['Error', answerOf(0, 'An error.', { example: { error: 'The request took too long to arrive.' } })],
])

/** An operation's errors: by reference where the usual words say it, else with what this call says. */
export function errorAnswers(failures: ReadonlyMap<number, readonly ErrorBody[]>): OpenAPIV3_1.ResponsesObject {
  const answers = [...failures].map(([status, says]) => [status, answerTo(status, says)] as const)
  return { ...Object.fromEntries(answers), '4XX': { $ref: '#/components/responses/Error' } }
}

function answerTo(status: number, says: readonly ErrorBody[]): Response | OpenAPIV3_1.ReferenceObject {
  const { name, description } = usual[status]!
  if (says.length === 0) return { $ref: `#/components/responses/${name}` }
  return answerOf(status, description, examplesOf(says))
}

/** One example, or several by the number of their order. */
export const examplesOf = (says: readonly ErrorBody[]): OpenAPIV3_1.MediaTypeObject =>
  says.length === 1
    ? { example: says[0] }
    : { examples: Object.fromEntries(says.map((value, index) => [String(index + 1), { value }])) }
