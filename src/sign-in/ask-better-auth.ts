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
  const headers = new Headers({ [addressHeader]: request.ip, origin: request.headers.origin ?? base.origin })
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name]
    // Better Auth knows the present secret only.
    if (value !== undefined) headers.set(name, name === 'cookie' ? auth.cookie.signAnew(value) : value)
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
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  const token = openedSession(auth, request, cookies)
  const replaced = auth.cookie.open(request.cookies[auth.cookie.name])
  if (token !== undefined && token !== replaced)
    await auth.sessionOpened({ token, replaced, origin: originOf(request) })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
  return { status: answer.status, body: isJson ? JSON.parse(text) : {}, location: answer.headers.get('location') }
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
