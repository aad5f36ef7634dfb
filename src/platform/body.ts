import type { IncomingMessage } from 'node:http'
import { HttpError } from '../shared/http-error.ts'

/** Joins the pieces of a body as they come: each alone takes hundreds of bytes, and a sender may send every byte alone. */
export function joinPieces(expected = 0) {
  let bytes = new Uint8Array()
  let end = 0
  return {
    get length() {
      return end
    },
    add(piece: Uint8Array) {
      // What is not written to takes no memory, and what moves leaves none behind.
      if (end + piece.length > bytes.length)
        bytes = new Uint8Array(bytes.buffer.transfer(Math.max(expected, 2 * bytes.length, end + piece.length)))
      bytes.set(piece, end)
      end += piece.length
    },
    whole: () => Buffer.from(bytes.buffer, 0, end),
  }
}

/** The body of a request. Throws a 413, or a 400 if its end never comes. */
export async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const expected = Number(request.headers['content-length'] ?? 0)
  if (expected > most) throw tooLarge()
  const body = joinPieces(expected)
  for await (const piece of piecesOf(request)) {
    if (body.length + piece.length > most) throw tooLarge()
    body.add(piece)
  }
  if (expected > 0 && body.length !== expected) throw new HttpError(400, "The body doesn't match its Content-Length.")
  return body.whole()
}

const tooLarge = () => new HttpError(413, 'The body is too large.')

async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Once it is destroyed, nobody can be told anything.
    yield* request.iterator({ destroyOnReturn: false })
  } catch {
    throw new HttpError(400, 'The request is malformed.')
  }
}
