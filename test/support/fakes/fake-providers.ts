import { createHash, randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../listen.ts'

/** A person with an account at the provider. `moreEmails` come before the primary one in GitHub's list. */
export type FakePerson = {
  id: string
  username: string
  name?: string | null
  email: string | null
  verified?: boolean
  publicEmail?: string | null
  moreEmails?: readonly string[]
}
/** `lenient`: a code works twice. `mute`: no scopes granted, so no email. `garbage`: non-JSON. `slow`: no response. */
type FakeMode = 'works' | 'lenient' | 'denied' | 'expired' | 'mute' | 'broken' | 'slow' | 'garbage'
/** The endpoint that is broken, slow or returns garbage; only OpenID providers have `document` and `keys`. */
type FakePlace = 'token' | 'user' | 'document' | 'keys'
export type FakeProvider = {
  id: string
  url: string
  person(person: FakePerson): void
  mode(mode: FakeMode, place?: FakePlace): void
  /** The id that ToolBox stores for a person's account at the provider. */
  accountId(personId: string): string
  env: Record<string, string>
  close(): Promise<void>
}

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }
export type Grant = { person: FakePerson; scopes: readonly string[]; nonce: string | null }
export type ProviderKind = {
  id: string
  authorizePath: string
  tokenPaths: readonly string[]
  refusal: Record<'client' | 'redirect' | 'code', Answer>
  /** Where the client secret is expected; by default in the form. */
  secretIn?(): 'form' | 'header'
  /** The issuer that it returns with the redirect. */
  returned?(): string | undefined
  moreTokens?(grant: Grant): Promise<object>
  /** The place that an API URL belongs to; by default `user`. */
  placeOf?(url: URL): FakePlace
  /** The API's response to a request with this token's data; undefined for an unknown path. */
  api(url: URL, grant: Grant | undefined): Answer | undefined | Promise<Answer | undefined>
}
type Code = Grant & { challenge: string; redirectUri: string; used: boolean }

export const client = { id: 'toolbox-client', secret: 'toolbox-client-secret' }
const nobody: FakePerson = { id: '1', username: 'nobody', email: null }

/** Starts a provider on loopback. Its authorize page grants immediately. */
export async function startFakeProvider(kind: ProviderKind): Promise<Omit<FakeProvider, 'env'>> {
  let person = nobody
  let mode: FakeMode = 'works'
  let place: FakePlace = 'token'
  const codes = new Map<string, Code>()
  const tokens = new Map<string, Grant>()
  const fails = (current: FakePlace) => (current === place ? failures[mode] : undefined)

  const authorize = ({ searchParams: query }: URL): Answer => {
    const [redirectUri, challenge] = [query.get('redirect_uri') ?? '', query.get('code_challenge') ?? '']
    const isCodeRequest = query.get('client_id') === client.id && query.get('response_type') === 'code'
    const registered = URL.parse(redirectUri)?.pathname === `/api/auth/callback/${kind.id}`
    const pkce = /^[\w-]{43}$/.test(challenge) && query.get('code_challenge_method') === 'S256'
    if (!isCodeRequest || !registered || !pkce) return { status: 400, body: { error: 'invalid_request' } }
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if (mode === 'denied') {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user has denied your application access.')
    } else {
      const code = randomBytes(10).toString('hex')
      const scopes = mode === 'mute' ? [] : (query.get('scope') ?? '').split(' ')
      codes.set(code, { person, scopes, nonce: query.get('nonce'), challenge, redirectUri, used: false })
      back.searchParams.set('code', code)
    }
    const issuer = kind.returned?.()
    if (issuer !== undefined) back.searchParams.set('iss', issuer)
    return { status: 302, body: '', headers: { location: back.href } }
  }

  const isClient = (form: URLSearchParams, header: string) => {
    if (kind.secretIn?.() === 'header') {
      const sent = Buffer.from(/^Basic (.+)$/.exec(header)?.[1] ?? '', 'base64').toString()
      return sent === `${client.id}:${encodeURIComponent(client.secret)}` && !form.has('client_secret')
    }
    return form.get('client_id') === client.id && form.get('client_secret') === client.secret && header === ''
  }

  const token = async (form: URLSearchParams, header: string): Promise<Answer> => {
    const code = codes.get(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!isClient(form, header)) return kind.refusal.client
    if (form.get('grant_type') !== 'authorization_code') return kind.refusal.code
    if (!code || (code.used && mode !== 'lenient') || mode === 'expired' || proof !== code.challenge)
      return kind.refusal.code
    if (form.get('redirect_uri') !== code.redirectUri) return kind.refusal.redirect
    code.used = true
    const access_token = randomBytes(20).toString('hex')
    tokens.set(access_token, code)
    return {
      status: 200,
      body: {
        access_token,
        token_type: 'bearer',
        scope: code.scopes.join(' '),
        expires_in: 604_800,
        ...(await kind.moreTokens?.(code)),
      },
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://fake')
    const body = text(request)
    const { authorization = '' } = request.headers
    if (url.pathname === kind.authorizePath) return respond(response, authorize(url))
    if (kind.tokenPaths.includes(url.pathname) && request.method === 'POST')
      return void body
        .then(async (form) => fails('token') ?? (await token(new URLSearchParams(form), authorization)))
        .then((answer) => respond(response, answer))
    const bearer = /^bearer (.+)$/i.exec(authorization)?.[1] ?? ''
    const answered = async () => {
      const answer = request.headers['user-agent'] ? await kind.api(url, tokens.get(bearer)) : { status: 403, body: {} }
      const failed = answer && fails(kind.placeOf?.(url) ?? 'user')
      respond(response, failed ?? answer ?? { status: 404, body: { message: 'Not Found' } })
    }
    void answered()
  })
  const { port, close } = await listen(server)
  return {
    id: kind.id,
    accountId: (personId) => personId,
    url: `http://127.0.0.1:${port}`,
    person: (next) => {
      person = next
    },
    mode: (next, newPlace = 'token') => {
      mode = next
      place = newPlace
    },
    close,
  }
}

const failures: Partial<Record<FakeMode, Answer | 'silence'>> = {
  broken: { status: 500, body: { message: 'Server Error' } },
  garbage: { status: 200, body: '<!doctype html><title>We are down</title>', headers: { 'content-type': 'text/html' } },
  slow: 'silence',
}

function respond(response: ServerResponse, answer: Answer | 'silence'): void {
  if (answer === 'silence') return
  const { status, body, headers } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const errorAnswer = (status: number, error: string, error_description: string): Answer => ({
  status,
  body: { error, error_description },
})

/** A fake GitHub Enterprise on loopback. Its authorize page grants immediately. */
export async function startFakeGithub(): Promise<FakeProvider> {
  const fake = await startFakeProvider({
    id: '002_Github',
    authorizePath: '/login/oauth/authorize',
    tokenPaths: ['/login/oauth/access_token'],
    // GitHub returns these errors with status 200.
    refusal: {
      client: errorAnswer(
        200,
        'incorrect_client_credentials',
        'The client_id and/or client_secret passed are incorrect.',
      ),
      redirect: errorAnswer(200, 'redirect_uri_mismatch', 'The redirect_uri MUST match the registered callback URL.'),
      code: errorAnswer(200, 'bad_verification_code', 'The code passed is incorrect or expired.'),
    },
    api: githubApi,
  })
  return {
    ...fake,
    env: {
      GITHUB_URL: fake.url,
      GITHUB_API_URL: `${fake.url}/api/v3`,
      GITHUB_CLIENT_ID: client.id,
      GITHUB_CLIENT_SECRET: client.secret,
    },
  }
}

function githubApi(url: URL, grant: Grant | undefined): Answer | undefined {
  if (!['/api/v3/user', '/api/v3/user/emails'].includes(url.pathname)) return undefined
  if (!grant) return { status: 401, body: { message: 'Bad credentials', status: '401' } }
  const { person, scopes } = grant
  if (url.pathname === '/api/v3/user') {
    const { id, username: login, name = null, publicEmail: email = null } = person
    return { status: 200, body: { id: Number(id), login, name, email, type: 'User' } }
  }
  if (!scopes.includes('user:email')) return { status: 404, body: { message: 'Not Found', status: '404' } }
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const page = Number(url.searchParams.get('page') ?? 1)
  const all = emailsOf(person)
  const next = `<${url.origin}${url.pathname}?per_page=${size}&page=${page + 1}>; rel="next"`
  const body = all.slice((page - 1) * size, page * size)
  return { status: 200, body, ...(page * size < all.length ? { headers: { link: next } } : {}) }
}

const emailsOf = ({ email, verified = true, moreEmails = [] }: FakePerson) => [
  ...moreEmails.map((more) => ({ email: more, primary: false, verified: true, visibility: null })),
  ...(email === null ? [] : [{ email, primary: true, verified, visibility: 'private' }]),
]

export async function startFakeDiscord(): Promise<FakeProvider> {
  const fake = await startFakeProvider({
    id: '001_Discord',
    authorizePath: '/oauth2/authorize',
    tokenPaths: ['/api/oauth2/token', '/api/v10/oauth2/token'],
    refusal: {
      client: errorAnswer(401, 'invalid_client', 'Invalid client credentials.'),
      redirect: errorAnswer(400, 'invalid_grant', 'Invalid "redirect_uri" in request.'),
      code: errorAnswer(400, 'invalid_grant', 'Invalid "code" in request.'),
    },
    api: discordApi,
  })
  const env = { DISCORD_URL: fake.url, DISCORD_CLIENT_ID: client.id, DISCORD_CLIENT_SECRET: client.secret }
  return { ...fake, env }
}

function discordApi(url: URL, grant: Grant | undefined): Answer | undefined {
  if (url.pathname !== '/api/v10/users/@me') return undefined
  if (!grant) return { status: 401, body: { message: '401: Unauthorized', code: 0 } }
  const { id, username, name = null, email, verified = true } = grant.person
  const contact = grant.scopes.includes('email') ? { email, verified } : {}
  return { status: 200, body: { id, username, discriminator: '0', global_name: name, avatar: null, ...contact } }
}
