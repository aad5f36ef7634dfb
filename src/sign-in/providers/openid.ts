import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import { accountIdOf } from '../../people/contract.ts'
import type { Context } from '../../platform/context.ts'
import { singleFlight } from '../../shared/async.ts'
import { hours, type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { Roles } from '../../shared/user.ts'
import type { SignInConfig } from '../config.ts'
import { type Ask, exchangeCode, hasFailed, type ProviderFailure, toProviderFailure } from './ask.ts'
import { AccountName, type Identity, type OpenIdProvider, usableEmail, usableName } from './provider.ts'

type OpenIdConfig = NonNullable<SignInConfig['oidc']>

/** Some providers return it as a signed token. */
const UserInfo = z.union([z.string(), z.looseObject({ sub: z.string() })])

/** Any OpenID Connect provider: it is discovered by its issuer, and identifies users with signed ID tokens. */
export function openId(
  { issuer, client, name, scopes, rolesClaim }: OpenIdConfig,
  { now, elapsed, log }: Pick<Context, 'now' | 'elapsed' | 'log'>,
): OpenIdProvider {
  const metadataOf = discovery(issuer, elapsed)
  const keysOf = keyStore(elapsed)

  /** The current metadata and keys for checking the provider's signatures. */
  const trustFor =
    (ask: Ask): TrustOf =>
    async (want) => {
      const metadata = await metadataOf(ask, want)
      if (hasFailed(metadata)) return metadata
      const keys = await keysOf(ask, metadata.keysUrl, want)
      return hasFailed(keys) ? keys : { ...metadata, keys }
    }

  async function userInfoOf(
    ask: Ask,
    url: string,
    token: string,
    sub: string,
  ): Promise<{ claims: ClaimSet } | ProviderFailure> {
    const headers = { accept: 'application/json, application/jwt', authorization: `Bearer ${token}` }
    const answer = await ask(url, UserInfo, { headers, tries: 2 })
    if (hasFailed(answer)) return answer
    const { status, value } = answer
    if (status !== 200) return toProviderFailure(`${url} answered ${status}`)
    const userInfo =
      typeof value === 'string'
        ? await readSigned(url, value, trustFor(ask), ({ keys, userAlgorithms }) =>
            payloadOf(value, keys, { ...expectedFrom(issuer, client.id, now()), algorithms: [...userAlgorithms] }),
          )
        : { claims: value }
    return hasFailed(userInfo) || userInfo.claims.sub === sub
      ? userInfo
      : toProviderFailure(`${url} returned another user's claims`)
  }

  function claimedRoles(idToken: ClaimSet, userInfo: ClaimSet) {
    if (rolesClaim === undefined) return undefined
    const claim = claimOf(idToken, rolesClaim) ?? claimOf(userInfo, rolesClaim)
    if (claim === undefined || claim === null) return undefined
    const roles = rolesOf(claim)
    if (roles !== 'odd') return roles
    log.warn({ claim: rolesClaim }, 'the roles claim is neither text nor a list of texts, so roles stay unchanged')
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
    async identify(ask, { nonce, issuer: returned, signedInSince, ...grant }) {
      const metadata = await metadataOf(ask)
      if (hasFailed(metadata)) return metadata
      if (metadata.returnsIssuer && returned !== issuer)
        return toProviderFailure('the callback did not name the issuer')
      const { tokenUrl, userUrl, secretIn } = metadata
      const tokens = await exchangeCode(ask, { client, tokenUrl, secretIn }, grant)
      if (hasFailed(tokens)) return tokens
      if (tokens.idToken === undefined) return toProviderFailure(`${tokenUrl} answered without an ID token`)
      const expected = { issuer, clientId: client.id, nonce, now: now() }
      const verified = await verifyIdToken(tokens.idToken, expected, trustFor(ask))
      if (hasFailed(verified)) return verified
      const { claims } = verified
      if (signedInSince !== undefined && !isSignIn(claims, signedInSince))
        return { failed: 'notAgain', note: `the ID token: "auth_time" is ${claims.auth_time ?? 'missing'}` }
      const needsUserInfo = userUrl !== undefined && isIncomplete(claims, rolesClaim)
      const userInfo = needsUserInfo ? await userInfoOf(ask, userUrl, tokens.token, claims.sub) : { claims: {} }
      if (hasFailed(userInfo)) return userInfo
      const roles = claimedRoles(claims, userInfo.claims)
      return { ...identityOf(claims.sub, issuer, claims, userInfo.claims), ...(roles && { roles }) }
    },
  }
}

/** A provider's claims about a user, from the ID token or the userinfo endpoint. */
type ClaimSet = Readonly<Record<string, unknown>>

const levels: Readonly<Record<string, Partial<Roles>>> = {
  'toolbox:tools': { Tools: 1 },
  'toolbox:tools:all': { Tools: 2 },
  'toolbox:admin:read': { Admin: 1 },
  'toolbox:admin': { Admin: 2 },
}

/** Returns the claim with this name, or at this dot-separated path. */
export function claimOf(claims: ClaimSet, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.'))
    value = isObject(value) && Object.hasOwn(value, part) ? (value as ClaimSet)[part] : undefined
  return value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The highest role levels that a claim's values name; `odd` if it is neither a string nor a list of strings. */
export function rolesOf(claim: unknown): Roles | 'odd' {
  const values = typeof claim === 'string' ? claim.split(/[\s,]+/) : claim
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return 'odd'
  const grants = values.flatMap((value) => (Object.hasOwn(levels, value) ? [levels[value]!] : []))
  const highest = (name: keyof Roles) => Math.max(0, ...grants.map((one) => one[name] ?? 0)) as Roles[typeof name]
  return { Admin: highest('Admin'), Tools: highest('Tools') }
}

/** Whether a claim is missing that the userinfo endpoint may return. */
export const isIncomplete = (claims: ClaimSet, rolesClaim: string | undefined): boolean =>
  ['email', 'email_verified', 'name', 'preferred_username'].some((name) => claims[name] === undefined) ||
  (rolesClaim !== undefined && claimOf(claims, rolesClaim) === undefined)

/** The user's account. The email and whether it is verified must come from the same source. */
export function identityOf(
  sub: string,
  issuer: string,
  idToken: ClaimSet,
  userInfo: ClaimSet = {},
): Omit<Identity, 'roles'> {
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
    // Amazon Cognito and Apple return it as a string, which is just as clear.
    email: usableEmail(
      typeof email === 'string' ? email : undefined,
      email_verified === true || email_verified === 'true',
    ),
  }
}

const tolerance: Milliseconds = minutes(1)

type Expected = {
  issuer: string
  clientId: string
  nonce: string
  now: Instant
}
type Claims = JWTPayload & { sub: string }

type Trust = Pick<Metadata, 'algorithms' | 'userAlgorithms'> & { keys: JSONWebKeySet }
type TrustOf = (want: 'any' | 'fresh') => Promise<Trust | ProviderFailure>

/** The claims of an unexpired ID token, signed for us and this visit (OpenID Connect Core, section 3.1.3.7). */
const verifyIdToken = (
  idToken: string,
  expected: Expected,
  trustOf: TrustOf,
): Promise<{ claims: Claims } | ProviderFailure> =>
  readSigned('the ID token', idToken, trustOf, (trust) => claimsOf(idToken, expected, trust))

/** Reads a signed token. If the known keys or algorithms don't fit, fetches both again once: they may have changed. */
async function readSigned<Claims>(
  what: string,
  token: string,
  trustOf: TrustOf,
  read: (trust: Trust) => Promise<Claims>,
  want: 'any' | 'fresh' = 'any',
): Promise<{ claims: Claims } | ProviderFailure> {
  // Encrypted tokens have five parts, signed ones three.
  if (token.split('.').length === 5) return toProviderFailure(`${what} is encrypted; have the provider only sign it`)
  const trust = await trustOf(want)
  if (hasFailed(trust)) return trust
  try {
    return { claims: await read(trust) }
  } catch (error) {
    if (want === 'any' && mayBeOutdated(error)) return readSigned(what, token, trustOf, read, 'fresh')
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return toProviderFailure(`${what}: ${error.message}`)
    throw error
  }
}

const mayBeOutdated = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed

const expectedFrom = (issuer: string, audience: string, now: Instant): JWTVerifyOptions => ({
  issuer,
  audience,
  clockTolerance: tolerance / 1_000,
  currentDate: new Date(now),
})

const payloadOf = async (token: string, keys: JSONWebKeySet, options: JWTVerifyOptions) =>
  (await jwtVerify<Claims>(token, createLocalJWKSet(keys), options)).payload

async function claimsOf(idToken: string, expected: Expected, { keys, algorithms }: Trust): Promise<Claims> {
  const payload = await payloadOf(idToken, keys, {
    ...expectedFrom(expected.issuer, expected.clientId, expected.now),
    algorithms: [...algorithms],
    requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
  })
  if (payload.nonce !== expected.nonce) throw unexpected('nonce')
  const isOnlyOurs = typeof payload.aud === 'string' || payload.aud?.length === 1
  if (payload.azp === undefined ? !isOnlyOurs : payload.azp !== expected.clientId) throw unexpected('azp')
  if (typeof payload.sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(payload.sub)) throw unexpected('sub')
  return payload
}

/** Whether the user has entered credentials since then, and not only used a session at the provider. */
const isSignIn = ({ auth_time }: Claims, since: Instant) =>
  typeof auth_time === 'number' && auth_time * 1_000 >= since - tolerance

const unexpected = (claim: string) => new errors.JWTInvalid(`unexpected "${claim}" claim value`)

/** The longest time for which a key is accepted after the provider has withdrawn it. */
const keysLife: Milliseconds = minutes(10)

// RFC 7517; the library interprets the other members of a key.
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

function keyStore(elapsed: () => Instant) {
  let cached: { at: Instant; url: string; keys: JSONWebKeySet } | undefined
  return async (ask: Ask, url: string, want: 'any' | 'fresh'): Promise<JSONWebKeySet | ProviderFailure> => {
    if (want === 'any' && cached?.url === url && elapsed() - cached.at < keysLife) return cached.keys
    const answer = await ask(url, KeySet, { tries: 2 })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return toProviderFailure(`${url} answered ${answer.status}`)
    cached = { at: elapsed(), url, keys: answer.value }
    return cached.keys
  }
}

/** How long a discovery document is fresh; an older one is still used if fetching fails. */
const metadataLife: Milliseconds = hours(1)
/** Signatures that only the provider can make; anyone with the client's secret could make shared-secret ones. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/

// https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
const Document = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.optional(z.string()),
  id_token_signing_alg_values_supported: z._default(z.array(z.string()), ['RS256']),
  userinfo_signing_alg_values_supported: z.optional(z.array(z.string())),
  token_endpoint_auth_methods_supported: z._default(z.array(z.string()), ['client_secret_basic']),
  authorization_response_iss_parameter_supported: z._default(z.boolean(), false),
})

type Metadata = Exclude<ReturnType<typeof parseDocument>, ProviderFailure>

const addressOf = (issuer: string) => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Fetches the discovery document on first use, so that neither the start nor other providers wait for it. */
export function discovery(
  issuer: string,
  elapsed: () => Instant,
): (ask: Ask, want?: 'any' | 'fresh') => Promise<Metadata | ProviderFailure> {
  const share = singleFlight<Metadata | ProviderFailure>()
  let cached: { at: Instant; metadata: Metadata } | undefined

  async function fetchDocument(ask: Ask): Promise<Metadata | ProviderFailure> {
    const answer = await ask(addressOf(issuer), Document, { tries: 2 })
    if (hasFailed(answer)) return answer
    return answer.status === 200
      ? parseDocument(issuer, answer.value)
      : toProviderFailure(`${addressOf(issuer)} answered ${answer.status}`)
  }

  return async (ask, want = 'any') => {
    if (want === 'any' && cached && elapsed() - cached.at < metadataLife) return cached.metadata
    const metadata = await share('', () => fetchDocument(ask))
    if (!hasFailed(metadata)) cached = { at: elapsed(), metadata }
    return hasFailed(metadata) && cached ? cached.metadata : metadata
  }
}

function parseDocument(issuer: string, document: z.infer<typeof Document>) {
  if (document.issuer !== issuer)
    return toProviderFailure(
      `the discovery document is for the issuer ${document.issuer}, and OIDC_ISSUER is ${issuer}`,
    )
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = document
  const endpoints = [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint ?? token_endpoint]
  const improper = endpoints.find((url) => !isProper(url, issuer))
  if (improper !== undefined)
    return toProviderFailure(`the discovery document names ${improper}, which is not as safe as its issuer`)
  const accepted = (names: readonly string[]) => names.filter((name) => asymmetric.test(name))
  const algorithms = accepted(document.id_token_signing_alg_values_supported)
  if (algorithms.length === 0) return toProviderFailure('the provider supports no accepted algorithm for ID tokens')
  const methods = document.token_endpoint_auth_methods_supported
  const isForm = !methods.includes('client_secret_basic')
  if (isForm && !methods.includes('client_secret_post'))
    return toProviderFailure('the provider supports neither client_secret_basic nor client_secret_post')
  return {
    authorizeUrl: authorization_endpoint,
    tokenUrl: token_endpoint,
    keysUrl: jwks_uri,
    userUrl: userinfo_endpoint,
    secretIn: isForm ? ('form' as const) : ('header' as const),
    algorithms,
    /** The algorithms of signed userinfo responses. */
    userAlgorithms: accepted(document.userinfo_signing_alg_values_supported ?? algorithms),
    /** Whether callbacks name the issuer (RFC 9207). */
    returnsIssuer: document.authorization_response_iss_parameter_supported,
  }
}

/** Only an http issuer may name http endpoints. */
function isProper(text: string, issuer: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'))
}
