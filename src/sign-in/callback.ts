import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { originOf } from '../platform/http/access/actor.ts'
import { cookieNote } from '../platform/http/access/cookie-note.ts'
import { open } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { HttpError } from '../shared/http-error.ts'
import { minutes } from '../shared/time.ts'
import { askBetterAuth, type BridgeAnswer } from './ask-better-auth.ts'
import type { Auth, AuthContext } from './auth.ts'
import { explained } from './providers/ask.ts'
import { type Visit, visits } from './providers/external.ts'
import { isRefusal, type Refusal, sentenceOf } from './providers/refusal.ts'
import { beginSecondStep } from './second-factor/challenge.ts'
import { concludeSignIn, refusalCookie } from './second-factor/finish.ts'

const errorPage = '/auth/error?error=AccessDenied'
const secondStepPage = '/auth/second-step'
const refusalSeconds = 60
/** The state by which this browser last signed in: its callback may be reloaded. */
const returnedNote = cookieNote('returned', minutes(10))

/** What we read of a callback's query; whoever sends it may repeat each. */
type Query = Partial<Record<'iss' | 'state' | 'error_description', string>>

/** Callback for sign-in providers. A browser opens it, so it always redirects to a page. */
export function callbackRoute(app: App, context: AuthContext, auth: Auth): void {
  app.get<{ Params: { provider: string }; Querystring: Query }>(
    '/api/auth/callback/:provider',
    {
      ...open('never'),
      exposeHeadRoute: false,
      schema: {
        tags: ['Sign-in'],
        summary: 'Callback for sign-in providers',
        response: {
          302: z.unknown().register(z.globalRegistry, {
            description: 'Redirects to the requested page or to the error page.',
          }),
        },
      },
      errorHandler: (error, request, reply) => refuse(reply, auth, wordsOf(error, request)),
    },
    async (request, reply) => {
      const provider = auth.providers.find(({ id }) => id === request.params.provider)
      if (!provider) return refuse(reply, auth, sentenceOf('notOffered'))
      const visit: Visit = {
        origin: originOf(request),
        inviteId: context.admission.inviteNote.read(context, request),
        ...sessionOf(request),
        issuer: request.query.iss,
      }
      const answer = await visits.run(visit, () => askBetterAuth(auth, request, reply))
      const end = endingOf(answer)
      const { state, error_description } = request.query
      if (state !== undefined && (visit.secondStepOf !== undefined || 'to' in end))
        returnedNote.write(context, reply, state)
      if (visit.secondStepOf !== undefined) {
        await beginSecondStep(context, reply, visit.secondStepOf, visit.linksThen)
        return reply.redirect(secondStepPage, 302)
      }
      if ('refusal' in end) {
        const refusal = visit.refusal ?? end.refusal
        const hasReturned = state !== undefined && returnedNote.read(context, request) === state
        if (refusal === 'stale' && hasReturned && visit.userId !== undefined) return reply.redirect('/', 302)
        const code = explained(end.code, error_description)
        request.log.info({ provider: provider.id, refusal, code }, 'a sign-in was refused')
        const { waitingNote } = context.admission
        if (visit.waits === undefined) waitingNote.forget(context, { request, reply })
        else waitingNote.write(context, reply, visit.waits)
        if (visit.arrived) await auth.trail.failed(visit.arrived, visit.origin, 'refused')
        return refuse(reply, auth, sentenceOf(refusal, provider.name))
      }
      if (visit.arrived) await auth.trail.succeeded(visit.arrived, visit.origin, { method: provider.name })
      await concludeSignIn(context, { request, reply }, visit.arrived?.id)
      return reply.redirect(end.to, 302)
    },
  )
}

const sessionOf = ({ caller }: FastifyRequest) =>
  caller?.via.kind === 'session'
    ? { userId: caller.user.id, sessionId: caller.via.sessionId }
    : { userId: undefined, sessionId: undefined }

function refuse(reply: FastifyReply, { cookieAttributes: { secure } }: Auth, words: string) {
  reply.setCookie(refusalCookie, words, { path: '/', sameSite: 'lax', secure, maxAge: refusalSeconds })
  return reply.redirect(errorPage, 302)
}

function wordsOf(error: unknown, request: FastifyRequest): string {
  if (error instanceof HttpError) return error.message
  request.log.error({ err: error, method: request.method, url: request.routeOptions.url }, 'a sign-in failed')
  return sentenceOf('failed')
}

/** The error codes of Better Auth, of RFC 6749 (section 4.1.2.1), of OpenID Connect Core (section 3.1.2.6) and of GitHub. */
const refusalByCode = new Map<string, Refusal>([
  ['state_not_found', 'stale'],
  ['state_mismatch', 'stale'],
  ['state_invalid', 'stale'],
  ['access_denied', 'denied'],
  ['consent_required', 'denied'],
  ['login_required', 'denied'],
  ['interaction_required', 'denied'],
  ['account_selection_required', 'denied'],
  ['invalid_request', 'trouble'],
  ['unauthorized_client', 'trouble'],
  ['unsupported_response_type', 'trouble'],
  ['invalid_scope', 'trouble'],
  ['server_error', 'trouble'],
  ['temporarily_unavailable', 'trouble'],
  ['redirect_uri_mismatch', 'trouble'],
  ['application_suspended', 'trouble'],
  ['issuer_mismatch', 'trouble'],
  ['nonce_binding_missing', 'stale'],
])

/** Better Auth redirects to the requested path, or to an absolute URL with an error code. */
function endingOf({ location }: BridgeAnswer): { to: string } | { refusal: Refusal; code: string } {
  if (location?.startsWith('/')) return { to: location }
  const code = (location && URL.parse(location)?.searchParams.get('error')) || 'none'
  return { refusal: refusalByCode.get(code) ?? (isRefusal(code) ? code : 'failed'), code }
}
