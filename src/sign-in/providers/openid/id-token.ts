import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import { type Ask, type Failed, hasFailed, trouble } from '../ask.ts'

/** How far two clocks may be apart. */
const tolerance: Milliseconds = minutes(1)

export type Expected = {
  issuer: string
  clientId: string
  nonce: string
  algorithms: readonly string[]
  now: Instant
}
type Claims = JWTPayload & { sub: string }

/**
 * The claims of an ID token that this provider has signed for us, for this visit and until now
 * (https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation). Keys that don't fit are fetched once more,
 * since the provider may have new ones.
 */
export async function verifyIdToken(
  idToken: string,
  expected: Expected,
  keysOf: (want: 'any' | 'fresh') => Promise<Keys | Failed>,
): Promise<{ claims: Claims } | Failed> {
  const keys = await keysOf('any')
  if (hasFailed(keys)) return keys
  try {
    return { claims: await claimsOf(idToken, expected, keys.set) }
  } catch (error) {
    if (keys.isFresh || !mayBeOldKeys(error)) return refused(error)
  }
  const fresh = await keysOf('fresh')
  if (hasFailed(fresh)) return fresh
  return claimsOf(idToken, expected, fresh.set).then((claims) => ({ claims }), refused)
}

const refused = (error: unknown): Failed => {
  if (error instanceof errors.JOSEError || error instanceof TypeError) return trouble(`the ID token: ${error.message}`)
  throw error
}

const mayBeOldKeys = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed

async function claimsOf(idToken: string, expected: Expected, keys: JSONWebKeySet): Promise<Claims> {
  const { payload } = await jwtVerify<Claims>(idToken, createLocalJWKSet(keys), {
    issuer: expected.issuer,
    audience: expected.clientId,
    algorithms: [...expected.algorithms],
    requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
    clockTolerance: tolerance / 1_000,
    currentDate: new Date(expected.now),
  })
  if (payload.nonce !== expected.nonce) throw unexpected('nonce')
  const isOnlyOurs = typeof payload.aud === 'string' || payload.aud?.length === 1
  if (payload.azp === undefined ? !isOnlyOurs : payload.azp !== expected.clientId) throw unexpected('azp')
  if (typeof payload.sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(payload.sub)) throw unexpected('sub')
  return payload
}

const unexpected = (claim: string) => new errors.JWTInvalid(`unexpected "${claim}" claim value`)

/** So long at most does a key count that its provider has withdrawn. */
const freshFor: Milliseconds = minutes(10)

// RFC 7517; what the members of a key mean is for the library to say.
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** A provider's keys; `isFresh` if they have just been fetched. */
type Keys = { set: JSONWebKeySet; isFresh: boolean }
type KeysOf = (ask: Ask, url: string, want: 'any' | 'fresh') => Promise<Keys | Failed>

/** Fetches the keys of a provider, and keeps them for a while. */
export function keyStore(elapsed: () => Instant): KeysOf {
  let kept: { at: Instant; url: string; set: JSONWebKeySet } | undefined
  return async (ask, url, want) => {
    if (want === 'any' && kept?.url === url && elapsed() - kept.at < freshFor) return { set: kept.set, isFresh: false }
    const answer = await ask(url, KeySet, { tries: 2 })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return trouble(`${url} answered ${answer.status}`)
    kept = { at: elapsed(), url, set: answer.value }
    return { set: kept.set, isFresh: true }
  }
}
