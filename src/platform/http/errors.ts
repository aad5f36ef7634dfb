import type { Socket } from 'node:net'
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors, type ZodFastifySchemaValidationError } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { HttpError } from '../../shared/http-error.ts'
import { type Instant, seconds } from '../../shared/time.ts'
import { notStorable } from '../db/storable.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'

/** The body of every error: a message for users, reasons by field name, and whether a recent proof is missing. */
export const ErrorBody = z.object({
  error: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
  reauthenticate: z.optional(z.literal(true)),
})
export type ErrorBody = z.infer<typeof ErrorBody>

const json = 'application/json; charset=utf-8'

type Answer = { status: number; body: ErrorBody; retryAfter?: number | undefined }

const sentences: Record<number, string> = {
  400: 'The request is malformed.',
  404: 'Not found.',
  405: 'Not found.',
  408: 'The request took too long to arrive.',
  413: 'The body is too large.',
  414: 'The URL is too long.',
  415: 'Send the body as application/json.',
  431: "The headers are too large, usually because of too many cookies. Delete this site's cookies in your browser.",
}
const notJson = 'The body is not valid JSON.'
const byCode: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The body doesn't match its Content-Length.",
}
const internalError: Answer = { status: 500, body: { error: 'Something went wrong.' } }

/** The only place that turns a thrown error into a response. Details not meant for the caller are only logged. */
export function errorAnswer(error: unknown, { log, method, url }: Pick<FastifyRequest, 'log' | 'method' | 'url'>) {
  const { status, body, retryAfter } = answerOf(error)
  if (status === 500 || error instanceof DatabaseUnavailable) log.error({ err: error, method, url }, 'request failed')
  const later = retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }
  return {
    status,
    headers: { 'content-type': json, 'cache-control': 'no-store', ...later },
    body: JSON.stringify(body),
  }
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, request)
  return reply.code(status).headers(headers).send(body)
}

/** Sends an error regardless of the route's own response schema. */
export const sendError = (reply: FastifyReply, status: number, body: ErrorBody): FastifyReply =>
  reply.code(status).type(json).send(JSON.stringify(body))

function answerOf(error: unknown): Answer {
  if (error instanceof HttpError) {
    const { status, message, fields, retryAfter, reauthenticate } = error
    const more = { ...(fields ? { fields } : {}), ...(reauthenticate ? { reauthenticate: true as const } : {}) }
    return { status, body: { error: message, ...more }, retryAfter }
  }
  if (error instanceof DatabaseUnavailable) return { status: 503, body: { error: error.message } }
  if (hasZodFastifySchemaValidationErrors(error)) return { status: 400, body: invalidFields(error.validation) }
  if (error instanceof SyntaxError && 'statusCode' in error) return { status: 400, body: { error: notJson } }
  if (isUnstorable(error)) return { status: 400, body: { error: notStorable } }
  if (!isClientsError(error)) return internalError
  return {
    status: error.statusCode,
    body: { error: byCode[error.code] ?? sentences[error.statusCode] ?? sentences[400]! },
  }
}

/** PostgreSQL refuses U+0000 in any text, even in a value that a query only searches for. */
const isUnstorable = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '22021' && 'routine' in error

const isClientsError = (error: unknown): error is FastifyError & { statusCode: number } =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode >= 400 &&
  error.statusCode < 500

function invalidFields(issues: readonly ZodFastifySchemaValidationError[]): ErrorBody {
  const whys = issues.flatMap(fieldErrorsOf)
  // Without a prototype, so that a field may be named `constructor`.
  const fields: Record<string, string> = Object.create(null)
  for (const { field, why } of whys) fields[field] ??= why
  const [first] = whys
  if (!first) return { error: 'Send a JSON object.' }
  const isOne = Object.keys(fields).length === 1
  return { error: isOne ? describeFieldError(first) : 'Some fields are not valid.', fields }
}

const noSuchField = 'Unknown field.'
const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const single = ['string', 'number', 'int', 'boolean']

/** The reason for a missing value or one of the wrong type, if the schema has none; zod's own is too technical. */
export function reasonOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'This is missing.'
  // A query parameter that appears twice is parsed as a list.
  if (Array.isArray(issue.input) && single.includes(issue.expected)) return 'This must be a single value.'
  const kind = kinds[issue.expected]
  return kind && `This must be ${kind}.`
}

/** `field` is a top-level field of the body or query, `path` the full path of the value. */
type FieldError = { field: string; path: string; why: string }

function describeFieldError({ path, why }: FieldError): string {
  if (why === noSuchField) return `Unknown field: ${path}.`
  return why.replace(/^This (is missing\.$|must be )/, (_all, rest) => `The field ${path} ${rest}`)
}

/** zod reports an unknown key on the object that contains it, so this names the key. */
function fieldErrorsOf(issue: ZodFastifySchemaValidationError): FieldError[] {
  const parts = (issue.instancePath ?? '').split('/').filter((part) => part !== '')
  const [field] = parts
  const keys = issue.keyword === 'unrecognized_keys' ? issue.params.keys : undefined
  if (Array.isArray(keys) && field === undefined)
    return keys.map((key) => ({ field: String(key), path: String(key), why: noSuchField }))
  if (field === undefined) return []
  const why = Array.isArray(keys) ? `Unknown field: ${keys.join(', ')}.` : (issue.message ?? 'Not valid.')
  return [{ field, path: parts.join('.'), why }]
}

/** Total bytes of a connection up to which reading continues after a refusal. */
const mostBehind = 16 * 1024 * 1024

/** Answers invalid or slow requests, and reads on for up to 1 s: closing with unread bytes would lose the response. */
export function answerSocket(error: ConnectionError, socket: Socket): void {
  if (socket.writableEnded && error.code?.startsWith('HPE_') && socket.bytesRead < mostBehind) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status]
  const body = JSON.stringify({ error: sentences[status] })
  const head = [`HTTP/1.1 ${status} ${reason}`, 'Connection: close', 'Content-Type: application/json; charset=utf-8']
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  // Some clients need this long to read the response; longer would keep the received bytes in memory.
  setTimeout(() => socket.destroy(), seconds(1)).unref()
}

/** The body of a 409; `current` is set if the record was edited since the caller read it. */
export const conflictOf = <Shape extends z.core.$ZodShape>(record: z.ZodMiniObject<Shape>) =>
  z.extend(ErrorBody, { current: z.optional(record) })

type Edited = { createdAt: Instant; updatedAt: Instant; changedBy: string | null }

export const conflict = <Current extends Edited>(noun: string, current: Current) => ({
  error:
    current.updatedAt === current.createdAt
      ? `This ${noun} is newer than that. Send updatedAt as it was read.`
      : `${current.changedBy ?? 'Someone'} changed this ${noun} in the meantime.`,
  current,
})
