import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Config } from '../../config/config.ts'
import { keyFor } from '../../crypto/secrets.ts'
import { signedCookie } from '../../crypto/signed-cookie.ts'
import { cookiePrefix } from './origin.ts'

export type Exchange = { request: FastifyRequest; reply: FastifyReply }
type NoteContext = { config: Config; now: () => Instant }
export type CookieNote = ReturnType<typeof cookieNote>

/** A signed text that a browser stores until it is used, or for `life` at most. Scripts read it only if `isVisible`. */
export function cookieNote(name: string, life: Milliseconds, { isVisible = false } = {}) {
  const nameOf = ({ baseUrl }: Config) => `${cookiePrefix(baseUrl)}.${name}`
  const attributesOf = ({ baseUrl }: Config) => ({ path: '/', secure: baseUrl.startsWith('https:') })
  const signing = (config: Config) => {
    const keyOf = (appSecret: string) => keyFor(appSecret, `cookie ${name}`).toString('hex')
    const previous = config.previousAppSecret
    return signedCookie(nameOf(config), keyOf(config.appSecret), previous && keyOf(previous))
  }
  return {
    write({ config, now }: NoteContext, reply: FastifyReply, text: string): void {
      reply.setCookie(nameOf(config), signing(config).sign(`${now() + life}.${text}`), {
        ...attributesOf(config),
        httpOnly: !isVisible,
        sameSite: 'lax',
        maxAge: life / seconds(1),
      })
    },

    /** The text; undefined if it is missing, not validly signed or expired. */
    read({ config, now }: NoteContext, { cookies }: FastifyRequest): string | undefined {
      const cookie = cookies[nameOf(config)]
      const [, end, text] = (cookie && /^(\d+)\.(.+)$/.exec(signing(config).open(cookie) ?? '')) || []
      return Number(end) > now() ? text : undefined
    },

    forget({ config }: Pick<NoteContext, 'config'>, { request, reply }: Exchange): void {
      const cookieName = nameOf(config)
      if (request.cookies[cookieName] !== undefined)
        reply.setCookie(cookieName, '', { ...attributesOf(config), maxAge: 0 })
    },
  }
}
