import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyFor } from '../../../platform/crypto/secrets.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { AuthContext } from '../../auth.ts'

const life: Milliseconds = minutes(5)
const over = () => new HttpError(400, 'This took too long, or was started in another tab. Please try again.')

/**
 * The challenges of WebAuthn: the browser keeps each in a signed cookie, so that starting a sign-in stores nothing. Only
 * challenges that were answered rightly are remembered, so that none is accepted twice. `purpose` says who may answer
 * what.
 */
export function ceremonies({ db, config, now }: Pick<AuthContext, 'db' | 'config' | 'now'>) {
  const secure = config.baseUrl.startsWith('https:')
  const name = `${secure ? '__Host-' : ''}toolbox.passkey`
  const key = keyFor(config.appSecret, 'passkey challenges')
  const macOf = (purpose: string, text: string) => createHmac('sha256', key).update(`${purpose}\n${text}`).digest()

  return {
    /** Begins a ceremony and returns its challenge. */
    begin(reply: FastifyReply, purpose: string): Uint8Array<ArrayBuffer> {
      const challenge = new Uint8Array(randomBytes(32))
      const text = `${Buffer.from(challenge).toString('base64url')}.${now() + life}`
      reply.setCookie(name, `${text}.${macOf(purpose, text).toString('base64url')}`, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure,
        maxAge: life / seconds(1),
      })
      return challenge
    },

    /** The challenge that this browser was given for this purpose, in base64url. Throws a 400 if there is none. */
    expected(request: FastifyRequest, purpose: string): string {
      const [challenge = '', end = '', mac = ''] = (request.cookies[name] ?? '').split('.')
      const given = Buffer.from(mac, 'base64url')
      const wanted = macOf(purpose, `${challenge}.${end}`)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || Number(end) <= now()) throw over()
      return challenge
    },

    /** Uses up a challenge that was answered rightly. Throws a 400 if it was used before. */
    async finish(reply: FastifyReply, challenge: string): Promise<void> {
      const id = `passkey:${challenge}`
      const at = db.timestamp(now())
      const row = {
        id,
        identifier: id,
        value: '',
        expires_at: db.timestamp(now() + life),
        created_at: at,
        updated_at: at,
      }
      const first = await db.q
        .insertInto('verifications')
        .values(row)
        .onConflict((on) => on.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (!first) throw over()
      reply.setCookie(name, '', { path: '/', secure, maxAge: 0 })
    },
  }
}
