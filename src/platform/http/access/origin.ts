import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../../shared/http-error.ts'
import type { Config } from '../../config/config.ts'
import { isSameText } from '../../crypto/secrets.ts'
import { type App, keyIn } from '../app.ts'

const cookieName = 'XSRF-TOKEN'
const headerName = 'x-xsrf-token'
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
const isApi = (request: FastifyRequest) => /^\/api(?:[/?]|$)/.test(routeOf(request))
const isOurApi = (request: FastifyRequest) => /^\/api\/v1(?:[/?]|$)/.test(routeOf(request))
export const isSafe = ({ method }: FastifyRequest): boolean => safeMethods.has(method)
const isAnonymous = (request: FastifyRequest) => request.routeOptions.config.access === 'anonymous'

/** The matching route, since `/%61pi/v1` matches the same one as `/api/v1`; the URL if there is none. */
export const routeOf = ({ routeOptions, url }: FastifyRequest): string => routeOptions.url ?? url

const prefixOfAllPorts = (baseUrl: string) => `${baseUrl.startsWith('https:') ? '__Host-' : ''}toolbox`
/** `-3000`, or empty: separates the cookies of ToolBoxes on one host, since browsers send them to all of its ports. */
const portIn = (baseUrl: string) => new URL(baseUrl).port.replace(/^(?=.)/, '-')

/** The prefix of our cookie names; on https, `__Host-` makes browsers accept them only from this exact host. */
export const cookiePrefix = (baseUrl: string) => prefixOfAllPorts(baseUrl) + portIn(baseUrl)
export const sessionCookieName = (baseUrl: string) => `${cookiePrefix(baseUrl)}.session_token`

/** Continues sessions from before cookie names had the port: renames their cookie, unless the new one is present. */
export function renameSharedCookie({ baseUrl }: Pick<Config, 'baseUrl'>): (headers: IncomingHttpHeaders) => void {
  const [shared, own] = [prefixOfAllPorts(baseUrl), cookiePrefix(baseUrl)].map((prefix) => `${prefix}.session_token=`)
  return (headers) => {
    const { cookie } = headers
    if (shared !== own && cookie?.includes(shared!) && !cookie.includes(own!))
      headers.cookie = cookie.replace(shared!, own!)
  }
}

/** Throws a 403 if a browser sends this for another site. The browser's own headers decide, never Host. */
export function refuseOtherSites(request: FastifyRequest, origins: readonly string[]): void {
  if (isSafe(request) || !isApi(request) || isAnonymous(request)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const foreign = site === 'cross-site' || site === 'same-site' || (origin !== undefined && !origins.includes(origin))
  if (foreign) throw new HttpError(403, 'This request comes from another site.')
}

/** Throws a 403 if an unsafe call with a session does not carry the session's XSRF token. */
export function xsrfCheck(config: Config): (request: FastifyRequest) => void {
  const { sessionToken, tokenFor } = tokens(config.appSecret)
  const { previousAppSecret } = config
  const previous = previousAppSecret === undefined ? undefined : tokens(previousAppSecret)
  return (request) => {
    if (isSafe(request) || !isOurApi(request) || usesKey(request)) return
    const session = sessionToken(request.cookies[sessionCookieName(config.baseUrl)])
    if (session === undefined) return
    const token = request.headers[headerName]
    if (typeof token === 'string' && isSameText(token, tokenFor(session))) return
    if (typeof token === 'string' && previous && isSameText(token, previous.tokenFor(session))) return
    throw new HttpError(403, 'This page is out of date. Reload it and try again.')
  }
}

/** Sets the session's XSRF token as cookies on pages and calls, including the response that signs in or out. */
export function setXsrfCookies(app: App, config: Config): void {
  const { sessionToken, tokenFor } = tokens(config.appSecret)
  const name = sessionCookieName(config.baseUrl)
  // Our page reads the cookie with its port; other clients use the one without.
  const ofPage = `${cookieName}${portIn(config.baseUrl)}`
  const cookie = { path: '/', sameSite: 'lax', secure: config.baseUrl.startsWith('https:') } as const
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isAnonymous(request)) return done(null, payload)
    const changed = sessionCookieIn(reply, payload, name)
    if (changed === undefined && !wantsToken(request, reply)) return done(null, payload)
    const session = sessionToken(changed === undefined ? request.cookies[name] : app.parseCookie(changed)[name])
    const token = tokenFor(session ?? '')
    for (const each of new Set([cookieName, ofPage]))
      if (changed !== undefined || request.cookies[each] !== token)
        reply.header('set-cookie', app.serializeCookie(each, token, cookie))
    done(null, payload)
  })
}

/** The session cookie that this response sets or clears, as written in the header. */
function sessionCookieIn(reply: FastifyReply, payload: unknown, name: string): string | undefined {
  const own = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  const lent = isResponse(payload) ? payload.headers.getSetCookie() : []
  return [...own, ...lent].findLast((line) => line.startsWith(`${name}=`))
}

/** Checks the name, because the class would load all of Node's `fetch` on the first response. */
const isResponse = (payload: unknown): payload is Response =>
  Object.prototype.toString.call(payload) === '[object Response]'

const wantsToken = (request: FastifyRequest, reply: FastifyReply) =>
  request.method === 'GET' && (isOurApi(request) || String(reply.getHeader('content-type')).startsWith('text/html'))

/** Browsers never send a key automatically, so no other site can make them send one. */
const usesKey = (request: FastifyRequest) =>
  request.caller ? request.caller.via.kind === 'key' : keyIn(request) !== undefined

/** Tokens are bound to the session by APP_SECRET. Visitors without a session share one: there is nothing to protect. */
function tokens(appSecret: string) {
  const tokenFor = (session: string) => createHmac('sha256', appSecret).update(`xsrf:${session}`).digest('base64url')
  const sessionToken = (cookie: string | undefined) =>
    cookie?.slice(0, Math.max(0, cookie.lastIndexOf('.'))) || undefined
  return { tokenFor, sessionToken }
}
