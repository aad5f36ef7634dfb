import { setTimeout as after } from 'node:timers/promises'
import type { Context } from '../../platform/context.ts'
import { redirectOf } from '../../platform/net/client.ts'
import { bodyTooLarge, isUnreachable, timeoutAfter } from '../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../platform/net/outbound.ts'
import { days, type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import { githubUrls } from '../../shared/urls/reach.ts'
import type { GhmdinvalidatorConfig } from './config.ts'
import { findProxiedImages, type ProxiedImage } from './discover.ts'

export type PageContext = Pick<Context<GhmdinvalidatorConfig>, 'config' | 'outbound' | 'now' | 'elapsed'>
type Answer = OutboundAnswer & { answered: true }
type PageContent = { read: true; url: string; movedTo: string | null; text: string; found: ProxiedImage[] }
/** `internal`: the fault is ours. `final`: don't request the readme. `unreachable`: GitHub didn't answer. */
type PageError = RequestedWait & {
  read: false
  note: string
  internal?: true
  final?: true
  unreachable?: boolean
}
type Page = PageContent | PageError

const timeout = seconds(15)
const maxBytes = 5_000_000
const mostRedirects = 5
const unreadable = (note: string): PageError => ({ read: false, note, final: true })
const notPublic = unreadable('not public, or does not exist')

/** Reads a GitHub page and its proxied images. If a repository's front page fails or shows none, reads its readme. */
export async function readPage(address: string, context: PageContext): Promise<Page> {
  let page = await fetchPage(address, context)
  if (!page.read && page.retryIn !== undefined) {
    await after(page.retryIn)
    page = await fetchPage(address, context)
  }
  if (page.read ? page.found.length > 0 : page.internal || page.final || page.wait !== undefined) return page
  const readable: Pick<PageContent, 'url' | 'movedTo'> = page.read ? page : { url: address, movedTo: null }
  const readme = await fetchReadme(readable.url, context)
  if (!readme || readme.found.length === 0) return page
  const { url, movedTo } = readable
  return { read: true, url, movedTo, ...readme }
}

async function fetchPage(address: string, context: PageContext): Promise<Page> {
  const { githubUrl, githubCamoUrl } = context.config
  const visited = await visit(address, { accept: 'text/html' }, context, (url) => {
    if (!isOfGithub(url, githubUrl)) return unreadable(`redirects to ${url.host}, not to GitHub`)
    return isLogin(url) ? notPublic : undefined
  })
  if (!visited.answered) return visited.why
  const { status, headers, url, body } = visited
  if (status === 404) return notPublic
  if (status !== 200) {
    const delay = requestedWait(headers['retry-after'], context.now())
    return { read: false, note: `GitHub ${describeStatus(status, delay)}`, ...delay }
  }
  const text = new TextDecoder().decode(body)
  return { read: true, url, movedTo: movedTo(url, address), text, found: findProxiedImages(text, githubCamoUrl) }
}

const isLogin = ({ pathname }: URL) => /^\/login(\/|$)/.test(pathname)
const movedTo = (url: string, requestedUrl: string) => (isSamePage(url, requestedUrl) ? null : url)

async function fetchReadme(
  address: string,
  context: PageContext,
): Promise<Pick<PageContent, 'text' | 'found'> | undefined> {
  const { githubApiUrl, githubToken, githubCamoUrl } = context.config
  const repository = repositoryOf(new URL(address))
  if (!repository) return undefined
  const { owner, name } = repository
  const headers = {
    accept: 'application/vnd.github.html+json',
    ...(githubToken ? { authorization: `Bearer ${githubToken}` } : {}),
  }
  const { origin } = new URL(githubApiUrl)
  // Redirects carry the token too, so none may lead away from the API.
  const visited = await visit(`${githubApiUrl}/repos/${owner}/${name}/readme`, headers, context, (url) =>
    url.origin === origin ? undefined : unreadable('redirected away from the API'),
  )
  if (!visited.answered || visited.status !== 200) return undefined
  const text = new TextDecoder().decode(visited.body)
  return { text, found: findProxiedImages(text, githubCamoUrl) }
}

/** Sends a GET and follows redirects; `objection` can refuse each URL before it is visited. */
async function visit(
  start: string,
  headers: Record<string, string>,
  { outbound, elapsed }: PageContext,
  objection: (url: URL) => PageError | undefined,
): Promise<Answer | { answered: false; why: PageError }> {
  const until = elapsed() + timeout
  let url = new URL(start)
  for (let followed = 0; followed <= mostRedirects; followed += 1) {
    const why = objection(url)
    if (why) return { answered: false, why }
    const answer = await outbound.request(url.href, { timeout: Math.max(1, until - elapsed()), maxBytes, headers })
    if (!answer.answered) return { answered: false, why: toPageError(answer) }
    const next = redirectOf(answer.status, answer.headers.location, url)
    if (next === undefined) return answer
    if (next === 'malformed') return { answered: false, why: unreadable('a redirect without a valid URL') }
    url = next
  }
  return { answered: false, why: unreadable('too many redirects') }
}

function toPageError({ failure, note }: OutboundAnswer & { answered: false }): PageError {
  if (failure === 'internal') return { read: false, note, internal: true }
  // Report the timeout of the whole redirect chain; the last visit had only the rest of it.
  const failureNote = failure === 'timeout' ? timeoutAfter(timeout).note : note
  const words = note === bodyTooLarge(maxBytes).note ? 'the page is larger than 5 MB' : failureNote
  return { read: false, note: words, unreachable: isUnreachable(failure) }
}

type PageKind = 'profile' | 'repository' | 'file' | 'wiki' | 'gist' | 'issue' | 'discussion' | 'release' | 'page'

const byFolder = new Map<string, PageKind>([
  ['blob', 'file'],
  ['tree', 'repository'],
  ['wiki', 'wiki'],
  ['issues', 'issue'],
  ['pull', 'issue'],
  ['discussions', 'discussion'],
  ['releases', 'release'],
])

const partsOf = ({ pathname }: URL) => pathname.split('/').filter(Boolean)

export function pageKind(url: URL): PageKind {
  if (url.hostname.startsWith('gist.')) return 'gist'
  const [owner, repository, folder] = partsOf(url)
  if (owner === 'gist') return 'gist'
  if (owner && !repository) return 'profile'
  if (!folder) return repository ? 'repository' : 'page'
  return byFolder.get(folder) ?? 'page'
}

/** The owner and name of a repository, if this is its front page. */
export function repositoryOf(url: URL): { owner: string; name: string } | undefined {
  const [owner, name, ...rest] = partsOf(url)
  if (pageKind(url) !== 'repository' || rest.length > 0 || !owner || !name) return undefined
  return { owner, name: name.replace(/\.git$/, '') }
}

const isOfGithub = (url: URL, githubUrl: string): boolean =>
  githubUrls(githubUrl).some((own) => new URL(own).host === url.host)

/** Whether this is a GitHub page other than the home page. */
export const isGithubPage = (url: URL, githubUrl: string): boolean =>
  isOfGithub(url, githubUrl) && partsOf(url).length > 0

/** Whether both URLs show the same page: fragments, letter case and a trailing slash don't matter. */
export const isSamePage = (one: string, other: string): boolean => normalizeUrl(one) === normalizeUrl(other)

function normalizeUrl(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href.replace(/\/$/, '').toLowerCase()
}

/** The longest wait before a second attempt within a run. */
const longestWait = seconds(10)
/** A longer pause is surely a mistake, and users wouldn't see why nothing runs. */
const longestPause = days(7)

/** `retryIn`: a wait short enough for this run. `wait`: a longer one, which delays the next run. */
type RequestedWait = { retryIn?: Milliseconds; wait?: Milliseconds }

export function requestedWait(value: string | undefined, now: Instant): RequestedWait {
  const wait = retryAfter(value, now)
  if (wait === undefined) return {}
  return wait <= longestWait ? { retryIn: wait } : { wait: Math.min(wait, longestPause) }
}

/** The wait that a Retry-After header requests, in seconds or as a date; undefined if it can't be parsed. */
function retryAfter(value: string | undefined, now: Instant): Milliseconds | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return seconds(Number(value))
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** The note on a response with this status, including the requested wait if that is too long for a run. */
export const describeStatus = (status: number, { wait }: RequestedWait): string =>
  wait === undefined ? `answered ${status}` : `answered ${status}, asks to wait ${Math.ceil(wait / 1_000)} s`
