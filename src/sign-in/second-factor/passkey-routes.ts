import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signInChanged } from '../../notices/account-changes.ts'
import { sessionUser } from '../../people/store.ts'
import { actorOf, originOf } from '../../platform/http/access/actor.ts'
import { cookieNote, type Exchange } from '../../platform/http/access/cookie-note.ts'
import { beforeSetUp, callerOf, open, recentProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import type { Auth, AuthContext } from '../auth.ts'
import { isFirstUse } from '../first-use.ts'
import { storedRateLimiter } from '../limits/stored-rate-limit.ts'
import { recordProof } from '../recent-proof.ts'
import { passkeyHost } from '../working-methods.ts'
import { secondFactorCalls } from './contract.ts'
import type { SecondFactorContext } from './factor.ts'
import { finishSignIn, passwordFingerprint, pendingSignIn } from './finish.ts'
import { addPasskey, credentialsOf, deletePasskey, passkeyBy, recordPasskeyUse, renamePasskey } from './passkeys.ts'

/** Loaded on first use: it is large, and many servers never need it. */
const webAuthn = () => import('@simplewebauthn/server')
/** EdDSA, ES256 and RS256: every device supports at least one of them. */
const supportedAlgorithmIDs = [-8, -7, -257]
/** Maximum passkey attempts per user and network in 15 minutes, successful or not. */
const mostUses = 30
const copiedPasskeyMessage =
  'This passkey has counted fewer uses than before, as a copy would. Sign in another way, remove it and add a new one.'
const passkeyRefused = (why: string) => new HttpError(401, why)

export function passkeyRoutes(app: App, context: SecondFactorContext, auth: Auth): void {
  const { db, config, events } = context
  const ceremony = ceremonies(context)
  const host = passkeyHost(config)
  const uses = storedRateLimiter(context, { most: mostUses, refusal: 'Too many sign-ins with a passkey.' })
  const checks = { expectedOrigin: [...config.origins], expectedRPID: host, requireUserVerification: true }

  const signInRoute = routesOf(app, secondFactorCalls, 'Sign-in')
  const ownRoute = routesOf(app, secondFactorCalls, 'Your account')

  signInRoute(
    'POST /api/auth/sign-in/passkey/options',
    { ...open('never'), summary: 'Start signing in with a passkey' },
    async (_request, reply) => {
      const challenge = ceremony.begin(reply, 'sign in')
      const { generateAuthenticationOptions } = await webAuthn()
      return { ...(await generateAuthenticationOptions({ rpID: host, challenge, userVerification: 'required' })) }
    },
  )

  signInRoute(
    'POST /api/auth/sign-in/passkey',
    {
      ...open('never'),
      summary: 'Sign in with a passkey, which counts as both steps',
      failures: [401, 403, 409, 429],
      description: 'With `prove`, confirm your identity in your current session instead.',
    },
    async (request, reply) => {
      const prover = request.body.prove ? callerOf(request) : undefined
      const expectedChallenge = ceremony.expected(request, 'sign in')
      const response = request.body.response satisfies object as AuthenticationResponseJSON
      const passkey = await passkeyBy(context, response.id)
      if (!passkey) throw passkeyRefused("This passkey isn't known here. Sign in another way.")
      if (prover && prover.user.id !== passkey.userId)
        throw new HttpError(409, 'This passkey belongs to another account. Use one of yours.')
      // Counted separately, so that a stolen session can't lock its user out of signing in.
      const counted = prover ? 'proof-passkey' : 'passkey'
      await uses.acquire(`${counted}:${passkey.userId}:${networksOf(request.ip)[0]}`)
      const password = await passwordFingerprint(db.q, passkey.userId)
      const { verifyAuthenticationResponse } = await webAuthn()
      const credential = {
        id: response.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        // Zero skips the library's check: the counter is compared below, once the signature is verified.
        counter: 0,
      }
      const options = { ...checks, response, expectedChallenge, credential }
      const answer = await verifyAuthenticationResponse(options).catch(() => undefined)
      const newCounter = answer?.verified ? answer.authenticationInfo.newCounter : undefined
      const isCopied = newCounter !== undefined && newCounter <= passkey.counter && passkey.counter > 0
      if (newCounter === undefined || isCopied) {
        await auth.trail.recordFailure({ id: passkey.userId }, originOf(request), 'code')
        throw isCopied ? passkeyRefused(copiedPasskeyMessage) : throwUnverified()
      }
      await ceremony.finish({ request, reply }, expectedChallenge)
      await recordPasskeyUse(context, passkey.id, newCounter)
      if (prover) {
        if (prover.via.kind === 'session') await recordProof(db.q, prover.via.sessionId, context.now())
        return { user: await sessionUser(db.q, passkey.userId) }
      }
      const { userId } = passkey
      const pending = await pendingSignIn(context, request)
      const isTheirs = pending?.userId === userId && pending.password === password
      const account = isTheirs ? pending.account : undefined
      return finishSignIn(context, auth, { request, reply }, { userId, password, account, by: { method: 'passkey' } })
    },
  )

  ownRoute(
    'POST /api/v1/user/passkeys/options',
    { ...recentProof(beforeSetUp(signedIn('never'))), summary: 'Start adding a passkey' },
    async (request, reply) => {
      const { user } = callerOf(request)
      const challenge = ceremony.begin(reply, `add ${user.id}`)
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        rpName: 'ToolBox',
        rpID: host,
        challenge,
        supportedAlgorithmIDs,
        userID: new TextEncoder().encode(user.id),
        userName: user.email,
        userDisplayName: user.name,
        excludeCredentials: await credentialsOf(db.q, user.id),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      return { ...options }
    },
  )

  ownRoute(
    'POST /api/v1/user/passkeys',
    {
      ...recentProof(beforeSetUp(signedIn('never'))),
      summary: 'Add a passkey',
      failures: [409],
    },
    async (request, reply) => {
      const { user } = callerOf(request)
      const expectedChallenge = ceremony.expected(request, `add ${user.id}`)
      const response = request.body.response satisfies object as RegistrationResponseJSON
      const { verifyRegistrationResponse } = await webAuthn()
      const answer = await verifyRegistrationResponse({
        ...checks,
        response,
        expectedChallenge,
        supportedAlgorithmIDs,
      }).catch(throwUnverified)
      if (!answer.verified) throw throwUnverified()
      await ceremony.finish({ request, reply }, expectedChallenge)
      const { id, publicKey, counter, transports = [] } = answer.registrationInfo.credential
      const credential = { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
      const added = await addPasskey(context, actorOf(request), user, request.body.name, credential)
      events.publish(signInChanged(user.id))
      return added
    },
  )

  ownRoute(
    'PATCH /api/v1/user/passkeys',
    { ...signedIn('never'), summary: 'Rename a passkey', failures: [404] },
    async (request) => {
      const { id, name } = request.body
      await renamePasskey(context, callerOf(request).user.id, id, name)
      return { id }
    },
  )

  ownRoute(
    'DELETE /api/v1/user/passkeys',
    {
      ...recentProof(signedIn('never')),
      summary: 'Delete a passkey',
      failures: [404, 409],
    },
    async (request) => {
      const { id } = request.query
      await deletePasskey(context, auth.providers, actorOf(request), callerOf(request).user, id)
      events.publish(signInChanged(callerOf(request).user.id))
      return { id }
    },
  )
}

/** The library throws on any mismatch: of the challenge, host or key, or if the device didn't verify the user. */
function throwUnverified(): never {
  throw passkeyRefused('Your passkey could not be verified. Use its PIN, fingerprint or face, and try again.')
}

const life: Milliseconds = minutes(5)
const note = cookieNote('passkey', life)
const challengeExpired = () =>
  new HttpError(400, 'This took too long, or was started in another tab. Please try again.')

/** Challenges are in signed cookies, so starting stores nothing. Used ones are stored, so none is accepted twice. */
function ceremonies(context: Pick<AuthContext, 'db' | 'config' | 'now'>) {
  return {
    begin(reply: FastifyReply, purpose: string): Uint8Array<ArrayBuffer> {
      const challenge = new Uint8Array(randomBytes(32))
      note.write(context, reply, `${Buffer.from(challenge).toString('base64url')}.${purpose}`)
      return challenge
    },

    /** The challenge issued to this browser for this purpose, in base64url. Throws a 400 if there is none. */
    expected(request: FastifyRequest, purpose: string): string {
      const [challenge, storedPurpose] = note.read(context, request)?.split('.') ?? []
      if (challenge === undefined || storedPurpose !== purpose) throw challengeExpired()
      return challenge
    },

    /** Uses up a correctly answered challenge. Throws a 400 if it was used before. */
    async finish(exchange: Exchange, challenge: string): Promise<void> {
      if (!(await isFirstUse(context, `passkey:${challenge}`, life))) throw challengeExpired()
      note.forget(context, exchange)
    },
  }
}
