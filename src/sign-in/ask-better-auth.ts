import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../platform/http/access/actor.ts'
import { type ErrorStatus, HttpError, invalid } from '../shared/http-error.ts'
import { type Auth, addressHeader } from './auth.ts'

type Body = { code?: string; message?: string; url?: string; token?: string }
/** Better Auth's response: its body if it is JSON, and the redirect target. */
export type BridgeAnswer = { status: number; body: Body; location: string | null }

/** Forwards a request to Better Auth with only the headers it needs, so that clients can't forge others. */
export async function askBetterAuth(
  auth: Auth,
  request: FastifyRequest,
  reply: FastifyReply,
  body?: object,
): Promise<BridgeAnswer> {
  const base = new URL(auth.baseUrl)
  const state = stateCookie(auth)
  const headers = new Headers({ [addressHeader]: request.ip, origin: request.headers.origin ?? base.origin })
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name]
    // Better Auth knows only the current secret, so cookies signed with the previous one are signed again.
    if (value !== undefined)
      headers.set(name, name === 'cookie' ? auth.cookie.renewSignatures(state.plain(value, request)) : value)
  }
  if (body) headers.set('content-type', 'application/json')
  const answer = await auth.handle(
    // Fastify ignores a trailing slash, but Better Auth doesn't.
    new Request(new URL(request.url.replace(/\/(?=\?|$)/, ''), base), {
      method: request.method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
  const cookies = answer.headers.getSetCookie()
  const token = sessionTokenIn(auth, request, cookies)
  const replaced = auth.cookie.open(request.cookies[auth.cookie.name])
  if (token !== undefined && token !== replaced)
    await auth.sessionOpened({ token, replaced, origin: originOf(request) })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
  const parsedBody: Body = isJson ? JSON.parse(text) : {}
  for (const cookie of state.ofAttempt(cookies, request, parsedBody.url)) reply.header('set-cookie', cookie)
  return { status: answer.status, body: parsedBody, location: answer.headers.get('location') }
}

const mostAttempts = 8
/** Identifies an attempt, in its cookie's name, by the start of its state, which has only letters, digits, - and _. */
const attemptIn = (state: unknown) => (typeof state === 'string' ? /^[\w-]{8}/.exec(state)?.[0] : undefined)
const attemptOf = ({ query }: FastifyRequest) => attemptIn((query as { state?: unknown }).state)

/** Gives each attempt its own state cookie instead of Better Auth's single one, so that two tabs can both finish. */
function stateCookie({ cookie, cookieAttributes }: Auth) {
  const name = cookie.name.replace(/session_token$/, 'state')
  // Browsers ignore a __Host- cookie without Secure.
  const expired = `Path=/; Max-Age=0${cookieAttributes.secure ? '; Secure' : ''}`
  return {
    /** Renames this attempt's state cookie in a Cookie header to Better Auth's name. */
    plain: (header: string, request: FastifyRequest) => header.replace(`${name}.${attemptOf(request)}=`, `${name}=`),
    /** Renames the state cookie in a response to this attempt's, and expires the oldest attempts' over the limit. */
    ofAttempt(cookies: readonly string[], request: FastifyRequest, url: string | undefined): string[] {
      const newAttempt = attemptIn(url && URL.parse(url)?.searchParams.get('state'))
      const attempt = newAttempt ?? attemptOf(request)
      const own = cookies.map((line) => (attempt ? line.replace(new RegExp(`^${name}=`), `${name}.${attempt}=`) : line))
      const others = Object.keys(request.cookies).filter((key) => key.startsWith(`${name}.`))
      const oldest = newAttempt ? others.slice(0, -mostAttempts) : []
      return [...own, ...oldest.map((key) => `${key}=; ${expired}`)]
    },
  }
}

function sessionTokenIn({ cookie }: Auth, { server }: FastifyRequest, cookies: readonly string[]): string | undefined {
  const last = cookies.findLast((line) => line.startsWith(`${cookie.name}=`))
  return last && cookie.open(server.parseCookie(last)[cookie.name])
}

const sentences: Partial<Record<number, [ErrorStatus, string]>> = {
  401: [401, 'Sign in first.'],
  403: [403, 'This is not allowed.'],
  404: [404, 'Not found.'],
}

/** Throws Better Auth's 4xx responses with our messages, and its 5xx responses as errors to log. */
export function requireSuccess({ status, body }: BridgeAnswer): void {
  if (status < 400) return
  if (body.code === 'INVALID_CALLBACK_URL') throw invalid('callbackURL', 'Enter a path on this site, such as /user.')
  if (status >= 500) throw new Error(`Better Auth answered ${status} ${body.code ?? ''}`)
  const [errorStatus, sentence] = sentences[status] ?? [400, 'The request is malformed.']
  throw new HttpError(errorStatus, sentence)
}
