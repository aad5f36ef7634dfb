import { createSecretKey, randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type KeyObject, SignJWT, UnsecuredJWT } from 'jose'
import {
  type Answer,
  client,
  errorAnswer,
  type FakePerson,
  type FakeProvider,
  type Grant,
  startFakeProvider,
} from './fake-providers.ts'

type Key = { kid: string; alg: string; secret: CryptoKey; shown: JWK }

export type Behaviour = {
  /** Extra claims of ID tokens; an undefined value removes a usual claim. */
  claims: Record<string, unknown>
  userInfo: Record<string, unknown>
  document: Record<string, unknown>
  /** `secret`: HS256 with the client secret. `stranger`: an unpublished key with a published id. `nobody`: unsigned. */
  signedBy: 'key' | 'secret' | 'stranger' | 'nobody'
  idToken: 'given' | 'missing' | 'garbage' | 'encrypted'
  /** The form of the userinfo: `token` is a JWT signed with the published key, `stranger` with an unpublished one. */
  userInfoAs: 'json' | 'token' | 'stranger'
  secretIn: 'header' | 'form'
  /** The `iss` parameter of the authorization response. */
  returned: string | undefined
}
const defaultBehaviour: Behaviour = {
  claims: {},
  userInfo: {},
  document: {},
  signedBy: 'key',
  idToken: 'given',
  userInfoAs: 'json',
  secretIn: 'header',
  returned: undefined,
}
export type FakeOpenId = FakeProvider & {
  /** Sets the behavior from now on; everything not given is as usual. */
  behave(behaviour?: Partial<Behaviour>): void
  /** Switches to a new signing key and stops publishing earlier keys. */
  rotate(alg?: 'RS256' | 'ES256'): Promise<void>
  requestCount(path: string): number
}

const documentPath = '/.well-known/openid-configuration'
const paths = { authorize: '/authorize', token: '/token', keys: '/keys', userInfo: '/userinfo' }

/** A fake OpenID provider on loopback (OpenID Connect Core and Discovery). Its authorize page grants immediately. */
export async function startFakeOpenId(): Promise<FakeOpenId> {
  let behaviour = defaultBehaviour
  let key = await newKey('RS256')
  const stranger = await newKey('RS256')
  const requestCounts = new Map<string, number>()

  const document = (): Answer => ({
    status: 200,
    body: {
      issuer: fake.url,
      authorization_endpoint: fake.url + paths.authorize,
      token_endpoint: fake.url + paths.token,
      jwks_uri: fake.url + paths.keys,
      userinfo_endpoint: fake.url + paths.userInfo,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
      token_endpoint_auth_methods_supported: [
        behaviour.secretIn === 'header' ? 'client_secret_basic' : 'client_secret_post',
      ],
      ...behaviour.document,
    },
  })

  async function idToken({ person, nonce }: Grant): Promise<string> {
    const at = Math.floor(Date.now() / 1_000)
    const usual = { iss: fake.url, aud: client.id, sub: person.id, iat: at, exp: at + 300, nonce }
    const claims = { ...usual, ...behaviour.claims }
    const header = { alg: key.alg, kid: key.kid }
    if (behaviour.signedBy === 'nobody') return new UnsecuredJWT(claims).encode()
    if (behaviour.signedBy === 'secret')
      return signJwt(claims, { alg: 'HS256' }, createSecretKey(client.secret, 'utf8'))
    if (behaviour.signedBy === 'stranger') return signJwt(claims, { ...header, alg: 'RS256' }, stranger.secret)
    return signJwt(claims, header, key.secret)
  }

  const fake = await startFakeProvider({
    id: '004_OIDC',
    authorizePath: paths.authorize,
    tokenPaths: [paths.token],
    refusal: {
      client: errorAnswer(401, 'invalid_client', 'Client authentication failed.'),
      redirect: errorAnswer(400, 'invalid_grant', 'The redirect URI is another.'),
      code: errorAnswer(400, 'invalid_grant', 'The code is wrong or has expired.'),
    },
    secretIn: () => behaviour.secretIn,
    returned: () => behaviour.returned,
    async moreTokens(grant) {
      if (behaviour.idToken === 'missing') return {}
      if (behaviour.idToken === 'encrypted') return { id_token: 'abc.def.ghi.jkl.mno' }
      return { id_token: behaviour.idToken === 'garbage' ? 'abc.def.ghi' : await idToken(grant) }
    },
    placeOf: ({ pathname }) => (pathname === documentPath ? 'document' : pathname === paths.keys ? 'keys' : 'user'),
    async api({ pathname }, grant) {
      requestCounts.set(pathname, (requestCounts.get(pathname) ?? 0) + 1)
      if (pathname === documentPath) return document()
      if (pathname === paths.keys) return { status: 200, body: { keys: [key.shown] } }
      if (pathname !== paths.userInfo) return undefined
      if (!grant) return { status: 401, body: { error: 'invalid_token' } }
      const body = { ...userClaims(grant), ...behaviour.userInfo }
      if (behaviour.userInfoAs === 'json') return { status: 200, body }
      const secret = behaviour.userInfoAs === 'token' ? key.secret : stranger.secret
      const claims = { iss: fake.url, aud: client.id, ...body }
      const token = await signJwt(claims, { alg: key.alg, kid: key.kid }, secret)
      return { status: 200, body: token, headers: { 'content-type': 'application/jwt; charset=utf-8' } }
    },
  })
  return {
    ...fake,
    accountId: (personId) => `${fake.url}#${personId}`,
    env: { OIDC_ISSUER: fake.url, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    behave: (next = {}) => {
      behaviour = { ...defaultBehaviour, ...next }
    },
    rotate: async (alg = 'RS256') => {
      key = await newKey(alg)
    },
    requestCount: (path) => requestCounts.get(path) ?? 0,
  }
}

const signJwt = (claims: Record<string, unknown>, header: { alg: string; kid?: string }, by: CryptoKey | KeyObject) =>
  new SignJWT(claims).setProtectedHeader(header).sign(by)

async function newKey(alg: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  const kid = randomUUID()
  return { kid, alg, secret: privateKey, shown: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The claims about a person that the scopes permit (OpenID Connect Core, section 5.4). */
function userClaims({ person, scopes }: Grant): Record<string, unknown> {
  const { id, username, name, email, verified = true }: FakePerson = person
  return {
    sub: id,
    ...(scopes.includes('profile') && { preferred_username: username, ...(name != null && { name }) }),
    ...(scopes.includes('email') && email !== null && { email, email_verified: verified }),
  }
}
