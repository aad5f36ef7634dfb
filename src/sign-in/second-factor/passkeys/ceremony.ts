import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieNote, type Exchange } from '../../../platform/http/access/cookie-note.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import type { AuthContext } from '../../auth.ts'
import { isFirstUse } from '../../first-use.ts'

const life: Milliseconds = minutes(5)
const note = cookieNote('passkey', life)
const over = () => new HttpError(400, 'This took too long, or was started in another tab. Please try again.')

/**
 * The challenges of WebAuthn: the browser keeps each in a signed cookie, so that starting a sign-in stores nothing. Only
 * challenges that were answered rightly are remembered, so that none is accepted twice. `purpose` says who may answer
 * what.
 */
export function ceremonies(context: Pick<AuthContext, 'db' | 'config' | 'now'>) {
  return {
    /** Begins a ceremony and returns its challenge. */
    begin(reply: FastifyReply, purpose: string): Uint8Array<ArrayBuffer> {
      const challenge = new Uint8Array(randomBytes(32))
      note.write(context, reply, `${Buffer.from(challenge).toString('base64url')}.${purpose}`)
      return challenge
    },

    /** The challenge that this browser was given for this purpose, in base64url. Throws a 400 if there is none. */
    expected(request: FastifyRequest, purpose: string): string {
      const [challenge, given] = note.read(context, request)?.split('.') ?? []
      if (challenge === undefined || given !== purpose) throw over()
      return challenge
    },

    /** Uses up a challenge that was answered rightly. Throws a 400 if it was used before. */
    async finish(exchange: Exchange, challenge: string): Promise<void> {
      if (!(await isFirstUse(context, `passkey:${challenge}`, life))) throw over()
      note.forget(context, exchange)
    },
  }
}
