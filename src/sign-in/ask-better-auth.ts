import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../platform/http/access/actor.ts'
import { type ErrorStatus, HttpError, invalid } from '../shared/http-error.ts'
import { type Auth, addressHeader } from './auth.ts'

type Body = { code?: string; message?: string; url?: string; token?: string }
/** Better Auth's answer: its body if it is JSON, and where it redirects to. */
export type BridgeAnswer = { status: number; body: Body; location: string | null }

/** Passes a request to Better Auth and its cookies to the reply. Only the headers it needs are passed, so no other can be forged. */
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
    // Better Auth knows the present secret only.
    if (value !== undefined)
      headers.set(name, name === 'cookie' ? auth.cookie.signAnew(state.plain(value, request)) : value)
  }
  if (body) headers.set('content-type', 'application/json')
  const answer = await auth.handle(
    // Fastify ignores a trailing slash, and Better Auth does not.
    new Request(new URL(request.url.replace(/\/(?=\?|$)/, ''), base), {
      method: request.method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
  const cookies = answer.headers.getSetCookie()
  const token = openedSession(auth, request, cookies)
  const replaced = auth.cookie.open(request.cookies[auth.cookie.name])
  if (token !== undefined && token !== replaced)
    await auth.sessionOpened({ token, replaced, origin: originOf(request) })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
  const told: Body = isJson ? JSON.parse(text) : {}
  for (const cookie of state.ofAttempt(cookies, request, told.url)) reply.header('set-cookie', cookie)
  return { status: answer.status, body: told, location: answer.headers.get('location') }
}

const mostAttempts = 8
/** What names an attempt in its cookie: the beginning of its state, which Better Auth makes of letters, digits, - and _. */
const attemptIn = (state: unknown) => (typeof state === 'string' ? /^[\w-]{8}/.exec(state)?.[0] : undefined)
const attemptOf = ({ query }: FastifyRequest) => attemptIn((query as { state?: unknown }).state)

/** Better Auth has one cookie for the state of a sign-in; here each attempt has its own, so that those in two tabs both finish. */
function stateCookie({ cookie }: Auth) {
  const name = cookie.name.replace(/session_token$/, 'state')
  return {
    /** A Cookie header in which the state of this attempt has Better Auth's name. */
    plain: (header: string, request: FastifyRequest) => header.replace(`${name}.${attemptOf(request)}=`, `${name}=`),
    /** The cookies of an answer, and the end of the oldest attempts if this browser has begun too many. */
    ofAttempt(cookies: readonly string[], request: FastifyRequest, url: string | undefined): string[] {
      const begun = attemptIn(url && URL.parse(url)?.searchParams.get('state'))
      const attempt = begun ?? attemptOf(request)
      const own = cookies.map((line) => (attempt ? line.replace(new RegExp(`^${name}=`), `${name}.${attempt}=`) : line))
      const others = Object.keys(request.cookies).filter((key) => key.startsWith(`${name}.`))
      const oldest = begun ? others.slice(0, -mostAttempts) : []
      return [...own, ...oldest.map((key) => `${key}=; Path=/; Max-Age=0`)]
    },
  }
}

/** The token of the session that an answer leaves in the browser. */
function openedSession({ cookie }: Auth, { server }: FastifyRequest, cookies: readonly string[]): string | undefined {
  const last = cookies.findLast((line) => line.startsWith(`${cookie.name}=`))
  return last && cookie.open(server.parseCookie(last)[cookie.name])
}

const sentences: Partial<Record<number, [ErrorStatus, string]>> = {
  401: [401, 'Sign in first.'],
  403: [403, 'This is not allowed.'],
  404: [404, 'Not found.'],
}

/** Throws Better Auth's refusals with our messages, and its failures as errors to log. */
export function insistOnSuccess({ status, body }: BridgeAnswer): void {
  if (status < 400) return
  if (body.code === 'INVALID_CALLBACK_URL') throw invalid('callbackURL', 'Enter a path on this site, such as /user.')
  if (status >= 500) throw new Error(`Better Auth answered ${status} ${body.code ?? ''}`)
  const [known, sentence] = sentences[status] ?? [400, 'The request is malformed.']
  throw new HttpError(known, sentence)
}
