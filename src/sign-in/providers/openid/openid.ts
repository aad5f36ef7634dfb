import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import { accountIdOf } from '../../../people/contract.ts'
import type { Context } from '../../../platform/context.ts'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import type { Roles } from '../../../shared/user.ts'
import type { SignInConfig } from '../../config.ts'
import { type Ask, type Failed, hasFailed, tokenFor, trouble } from '../ask.ts'
import { AccountName, type Identity, type OpenIdProvider, usableEmail, usableName } from '../provider.ts'
import { discovery } from './discovery.ts'

type OpenIdConfig = NonNullable<SignInConfig['oidc']>

const UserInfo = z.looseObject({ sub: z.string() })

/** Any provider that follows OpenID Connect: it is found by its issuer, and says by a signed ID token who signs in. */
export function openId(
  { issuer, client, name, scopes, rolesClaim }: OpenIdConfig,
  { now, elapsed, log }: Pick<Context, 'now' | 'elapsed' | 'log'>,
): OpenIdProvider {
  const metadataOf = discovery(issuer, elapsed)
  const keysOf = keyStore(elapsed)

  async function userInfoOf(ask: Ask, url: string, token: string, sub: string): Promise<{ told: Told } | Failed> {
    const answer = await ask(url, UserInfo, { headers: { authorization: `Bearer ${token}` }, tries: 2 })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return trouble(`${url} answered ${answer.status}`)
    return answer.value.sub === sub ? { told: answer.value } : trouble(`${url} speaks of somebody else`)
  }

  function claimedRoles(idToken: Told, userInfo: Told) {
    if (rolesClaim === undefined) return undefined
    const claim = claimOf(idToken, rolesClaim) ?? claimOf(userInfo, rolesClaim)
    if (claim === undefined || claim === null) return undefined
    const roles = rolesOf(claim)
    if (roles !== 'odd') return roles
    log.warn({ claim: rolesClaim }, 'the claim of roles is neither text nor a list of texts, so it changes nothing')
    return undefined
  }

  return {
    id: '004_OIDC',
    name,
    client,
    scopes,
    issuer,
    async authorizeUrl(ask) {
      const metadata = await metadataOf(ask)
      return hasFailed(metadata) ? metadata : metadata.authorizeUrl
    },
    async identify(ask, { nonce, issuer: returned, ...grant }) {
      const metadata = await metadataOf(ask)
      if (hasFailed(metadata)) return metadata
      if (metadata.returnsIssuer && returned !== issuer) return trouble('the user returned without the issuer')
      const { tokenUrl, secretIn, algorithms } = metadata
      const tokens = await tokenFor(ask, { client, tokenUrl, secretIn }, grant)
      if (hasFailed(tokens)) return tokens
      if (tokens.idToken === undefined) return trouble(`${tokenUrl} answered without an ID token`)
      const expected = { issuer, clientId: client.id, nonce, algorithms, now: now() }
      const verified = await verifyIdToken(tokens.idToken, expected, (want) => keysOf(ask, metadata.keysUrl, want))
      if (hasFailed(verified)) return verified
      const { claims } = verified
      const { userUrl } = metadata
      const asks = userUrl !== undefined && isIncomplete(claims, rolesClaim)
      const userInfo = asks ? await userInfoOf(ask, userUrl, tokens.token, claims.sub) : { told: {} }
      if (hasFailed(userInfo)) return userInfo
      const roles = claimedRoles(claims, userInfo.told)
      return { ...identityOf(claims.sub, issuer, claims, userInfo.told), ...(roles && { roles }) }
    },
  }
}

/** What a provider says of a user, in its ID token or at its userinfo endpoint. */
type Told = Readonly<Record<string, unknown>>

const levels: Readonly<Record<string, Partial<Roles>>> = {
  'toolbox:tools': { Tools: 1 },
  'toolbox:tools:all': { Tools: 2 },
  'toolbox:admin:read': { Admin: 1 },
  'toolbox:admin': { Admin: 2 },
}

/** The claim of this name, or by this path of names that dots separate. */
export function claimOf(told: Told, name: string): unknown {
  if (Object.hasOwn(told, name)) return told[name]
  let value: unknown = told
  for (const part of name.split('.'))
    value = isObject(value) && Object.hasOwn(value, part) ? (value as Told)[part] : undefined
  return value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The role levels that a claim's values ask for, the highest of each; `odd` if it is neither text nor a list of texts. */
export function rolesOf(claim: unknown): Roles | 'odd' {
  const values = typeof claim === 'string' ? claim.split(/[\s,]+/) : claim
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return 'odd'
  const asked = values.flatMap((value) => (Object.hasOwn(levels, value) ? [levels[value]!] : []))
  const highest = (name: keyof Roles) => Math.max(0, ...asked.map((one) => one[name] ?? 0)) as Roles[typeof name]
  return { Admin: highest('Admin'), Tools: highest('Tools') }
}

/** Whether something is missing of a user that the userinfo endpoint may know. */
export const isIncomplete = (told: Told, rolesClaim: string | undefined): boolean =>
  ['email', 'email_verified', 'name', 'preferred_username'].some((name) => told[name] === undefined) ||
  (rolesClaim !== undefined && claimOf(told, rolesClaim) === undefined)

/** The user's account. An address and whether it is verified count only together, as one of the two says them. */
export function identityOf(sub: string, issuer: string, idToken: Told, userInfo: Told = {}): Omit<Identity, 'roles'> {
  const both = { ...userInfo, ...idToken }
  const isFromToken = idToken.email_verified !== undefined || userInfo.email === undefined
  const { email, email_verified } = idToken.email !== undefined && isFromToken ? idToken : userInfo
  const username = [both.preferred_username, both.nickname, email, sub]
    .map((name) => AccountName.safeParse(name))
    .find(({ success }) => success)?.data
  const usable = username ?? sub.slice(0, 100)
  return {
    accountId: accountIdOf(issuer, sub),
    username: usable,
    name: usableName(typeof both.name === 'string' ? both.name : undefined, usable),
    email: usableEmail(typeof email === 'string' ? email : undefined, email_verified === true),
  }
}

/** How far two clocks may be apart. */
const tolerance: Milliseconds = minutes(1)

type Expected = {
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
function keyStore(elapsed: () => Instant): KeysOf {
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
