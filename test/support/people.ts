import { randomBytes, randomUUID } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { createUser } from '../../src/people/store.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { Roles } from '../../src/shared/user.ts'
import type { Auth, AuthContext } from '../../src/sign-in/auth.ts'
import { sessionLife } from '../../src/sign-in/auth.ts'
import { hashPassword } from '../../src/sign-in/passwords/password.ts'

export const password = 'seven green teapots'
// Shared by all users, since a hash takes a quarter of a second.
let hash: Promise<string> | undefined

type Details = { name?: string; roles?: Partial<Roles>; status?: number; tags?: string[]; username?: string }
type Person = { id: string; name: string; email: string; username: string | undefined }

/** Creates a user; one with a username also gets the password above. */
export async function createPerson({ db, now }: AuthContext, details: Details = {}): Promise<Person> {
  const name = details.name ?? `p${randomBytes(6).toString('hex')}`
  const email = `${name.toLowerCase()}@example.com`
  hash ??= details.username ? hashPassword(password) : undefined
  const credentials = details.username && hash ? { username: details.username, hash: await hash } : undefined
  const roles = { Admin: 0, Tools: 1, ...details.roles } as const
  const { status, tags } = details
  const more = { ...(status === undefined ? {} : { status }), ...(tags === undefined ? {} : { tags }) }
  const id = await createUser(db, db.q, { name, email, emailVerified: true, credentials, roles, ...more }, now())
  return { id, name, email, username: details.username }
}

/** Creates a session as if the user had signed in, but faster; returns its token and cookie. */
export async function startSession(
  { db, now }: AuthContext,
  { cookie }: Auth,
  person: Pick<Person, 'id'>,
  life = sessionLife,
) {
  const token = randomBytes(24).toString('base64url')
  const at = db.timestamp(now())
  const session = { id: randomUUID(), token, user_id: person.id, ip_address: null, user_agent: null }
  const expires_at = db.timestamp(now() + life)
  await db.q
    .insertInto('sessions')
    .values({ ...session, expires_at, created_at: at, updated_at: at })
    .execute()
  return { id: session.id, token, cookie: { [cookie.name]: cookie.sign(token) } }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** A client's calls by method. */
export const callsOf = <Answer>(call: (method: Method, url: string, body?: object) => Promise<Answer>) => ({
  get: (url: string) => call('GET', url),
  post: (url: string, body?: object) => call('POST', url, body),
  put: (url: string, body: object) => call('PUT', url, body),
  patch: (url: string, body: object) => call('PATCH', url, body),
  delete: (url: string) => call('DELETE', url),
})

/** Sends a request to the server. Of an endless response it reads only the headers. */
export async function injectOnce(app: App, request: InjectOptions) {
  const answer = await app.inject({ ...request, payloadAsStream: true })
  const type = String(answer.headers['content-type'])
  const stream = answer.stream()
  const text = type.startsWith('text/event-stream') ? '' : Buffer.concat(await stream.toArray()).toString()
  stream.destroy()
  return { status: answer.statusCode, headers: answer.headers, type, text }
}

/** A fake browser with this IP address: it stores cookies and sends the XSRF token back. */
export function browser(app: App, address = '192.0.2.1', cookies: Record<string, string> = {}) {
  const jar = new Map(Object.entries(cookies))
  const call = async (method: Method, url: string, body?: object) => {
    const xsrf = jar.get('XSRF-TOKEN')
    const answer = await app.inject({
      method,
      url,
      remoteAddress: address,
      cookies: Object.fromEntries(jar),
      headers: xsrf ? { 'x-xsrf-token': xsrf } : {},
      ...(body ? { payload: body } : {}),
    })
    for (const { name, value, maxAge } of answer.cookies) maxAge === 0 ? jar.delete(name) : jar.set(name, value)
    return { status: answer.statusCode, headers: answer.headers, body: answer.body ? answer.json() : undefined }
  }
  return {
    jar,
    ...callsOf(call),
    signIn: (username: string, secret = password) =>
      call('POST', '/api/auth/sign-in/username', { username, password: secret }),
  }
}

export const headersOf = (jar: ReadonlyMap<string, string>) => ({
  cookie: [...jar].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; '),
  'x-xsrf-token': jar.get('XSRF-TOKEN') ?? '',
})

/** Creates a user with a signed-in browser that already has its XSRF token. */
export async function createSignedInPerson(box: { context: AuthContext; auth: Auth; app: App }, details: Details = {}) {
  const person = await createPerson(box.context, details)
  return { ...person, ...(await openSession(box, person)) }
}

/** Starts a session of this user, with a browser that already has its XSRF token. */
export async function openSession(box: { context: AuthContext; auth: Auth; app: App }, person: Pick<Person, 'id'>) {
  const session = await startSession(box.context, box.auth, person)
  const screen = browser(box.app, '192.0.2.1', session.cookie)
  await screen.get('/api/v1/auth/session')
  return { session, screen }
}

/** An API client with an API key and this IP address. It may also send headers that a proper client would not. */
export function apiKeyClient(app: App, key: string, headers: Record<string, string> = {}, address = '192.0.2.7') {
  const call = async (method: Method, url: string, body?: object) => {
    const answer = await app.inject({
      method,
      url,
      remoteAddress: address,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body ? { payload: body } : {}),
    })
    const isJson = String(answer.headers['content-type']).includes('json')
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : answer.body }
  }
  return callsOf(call)
}
