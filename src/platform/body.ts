import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { HttpError } from '../shared/http-error.ts'

/**
 * Joins a body's chunks as they arrive: each chunk object takes hundreds of bytes, and a sender may send single bytes.
 * The buffer isn't zero-filled: that blocked 100 ms for 20 MB, and would take up memory before it is written to.
 */
export function growingBuffer(expected = 0) {
  let bytes: Uint8Array<ArrayBuffer> = Buffer.allocUnsafeSlow(expected)
  let end = 0
  return {
    get length() {
      return end
    },
    add(piece: Uint8Array) {
      // `transfer` frees the old buffer instead of leaving it to the garbage collector.
      if (end + piece.length > bytes.length)
        bytes = new Uint8Array(bytes.buffer.transfer(Math.max(2 * bytes.length, end + piece.length)))
      bytes.set(piece, end)
      end += piece.length
    },
    whole: () => Buffer.from(bytes.buffer, 0, end),
    /** Returns the whole body and empties the buffer. */
    take() {
      const all = Buffer.from(bytes.buffer, 0, end)
      bytes = Buffer.allocUnsafeSlow(0)
      end = 0
      return all
    },
  }
}

export type GrowingBuffer = ReturnType<typeof growingBuffer>

/** Throws a 413 over `most` bytes, a 400 if cut short, or `stop`'s reason, and stays connected for the response. */
export async function bodyOf(request: IncomingMessage, most: number, stop?: AbortSignal): Promise<Buffer> {
  const expected = Number(request.headers['content-length'] ?? 0)
  if (expected > most) throw tooLarge()
  const body = growingBuffer(request.headers['transfer-encoding'] === undefined ? expected : most)
  const limit = new AbortController()
  const signal = stop ? AbortSignal.any([stop, limit.signal]) : limit.signal
  const add = (piece: Buffer) => {
    if (body.length + piece.length > most) limit.abort(tooLarge())
    else body.add(piece)
  }
  // The route that responds decides what to do with the rest.
  signal.addEventListener('abort', () => request.pause(), { once: true })
  request.on('data', add)
  try {
    await finished(request, { signal, writable: false })
  } catch {
    signal.throwIfAborted()
    throw new HttpError(400, 'The request is malformed.')
  } finally {
    request.off('data', add)
  }
  if (expected > 0 && body.length !== expected) throw new HttpError(400, "The body doesn't match its Content-Length.")
  return body.whole()
}

const tooLarge = () => new HttpError(413, 'The body is too large.')

const text = new TextDecoder()

/** Parses JSON from text or UTF-8 bytes; undefined if it is invalid. */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : text.decode(json))
  } catch {
    return undefined
  }
}
