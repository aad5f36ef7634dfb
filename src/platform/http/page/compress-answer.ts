import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const gzipped = promisify(gzip)
/** Bytes below which an answer travels as fast as it is. */
const worthIt = 16_384

/** The `onSend` of a route whose answer may be large and holds no secret, whose length might else be guessed: gzip for whoever takes it. */
export async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < worthIt) return payload
  reply.header('vary', 'Accept-Encoding')
  if (!takesGzip(request.headers['accept-encoding'])) return payload
  reply.header('content-encoding', 'gzip')
  // Level 1 does nine tenths of it in a third of the time.
  return gzipped(payload, { level: 1 })
}

const takesGzip = (accepted: string | string[] | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i.test(String(accepted ?? ''))
