import { setTimeout as after } from 'node:timers/promises'
import type { Context } from '../../../platform/context.ts'
import { bodyOver, isUnreachable, timeoutAfter } from '../../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { redirectOf } from '../../../platform/net/redirect.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import type { GhmdinvalidatorConfig } from '../config.ts'
import { discover, type Found } from './discover.ts'
import { isOfGithub, isSamePage, repositoryOf } from './page-kind.ts'
import { answered, askedWait } from './retry-after.ts'

export type PageContext = Pick<Context<GhmdinvalidatorConfig>, 'config' | 'outbound' | 'now' | 'elapsed'>
type Answer = OutboundAnswer & { answered: true }
type Read = { read: true; url: string; movedTo: string | null; text: string; found: Found[] }
/** Why a page couldn't be read: `internal` if the trouble is ours, `final` if the readme needn't be asked for, `unreachable` if GitHub didn't answer. */
type Unread = {
  read: false
  note: string
  again?: Milliseconds
  wait?: Milliseconds
  internal?: true
  final?: true
  unreachable?: boolean
}
type Page = Read | Unread

const timeout = seconds(15)
const maxBytes = 5_000_000
const mostRedirects = 5
const unreadable = (note: string): Unread => ({ read: false, note, final: true })
const hidden = unreadable('not public, or does not exist')

/** Reads a GitHub page and its proxied images. If a repository's front page shows none, asks for its readme. */
export async function readPage(address: string, context: PageContext): Promise<Page> {
  let page = await fetchPage(address, context)
  if (!page.read && page.again !== undefined) {
    await after(page.again)
    page = await fetchPage(address, context)
  }
  if (page.read ? page.found.length > 0 : page.internal || page.final || page.wait !== undefined) return page
  const readable: Pick<Read, 'url' | 'movedTo'> = page.read ? page : { url: address, movedTo: null }
  const readme = await fetchReadme(readable.url, context)
  if (!readme || readme.found.length === 0) return page
  const { url, movedTo } = readable
  return { read: true, url, movedTo, ...readme }
}

async function fetchPage(address: string, context: PageContext): Promise<Page> {
  const { githubUrl, githubCamoUrl } = context.config
  const visited = await visit(address, { accept: 'text/html' }, context, (url) => {
    if (!isOfGithub(url, githubUrl)) return unreadable(`redirects to ${url.host}, not to GitHub`)
    return isLogin(url) ? hidden : undefined
  })
  if (!visited.answered) return visited.why
  const { status, headers, url, body } = visited
  if (status === 404) return hidden
  if (status !== 200) {
    const asked = askedWait(headers['retry-after'], context.now())
    return { read: false, note: `GitHub ${answered(status, asked)}`, ...asked }
  }
  const text = new TextDecoder().decode(body)
  return { read: true, url, movedTo: movedTo(url, address), text, found: discover(text, githubCamoUrl) }
}

const isLogin = ({ pathname }: URL) => /^\/login(\/|$)/.test(pathname)
const movedTo = (url: string, asked: string) => (isSamePage(url, asked) ? null : url)

/** A repository's readme as the API renders it, and its images; undefined if there is none to read. */
async function fetchReadme(address: string, context: PageContext): Promise<Pick<Read, 'text' | 'found'> | undefined> {
  const { githubApiUrl, githubToken, githubCamoUrl } = context.config
  const repository = repositoryOf(new URL(address))
  if (!repository) return undefined
  const { owner, name } = repository
  const headers = {
    accept: 'application/vnd.github.html+json',
    ...(githubToken ? { authorization: `Bearer ${githubToken}` } : {}),
  }
  const { origin } = new URL(githubApiUrl)
  // Redirects get the token too, so none may leave the API.
  const visited = await visit(`${githubApiUrl}/repos/${owner}/${name}/readme`, headers, context, (url) =>
    url.origin === origin ? undefined : unreadable('redirected away from the API'),
  )
  if (!visited.answered || visited.status !== 200) return undefined
  const text = new TextDecoder().decode(visited.body)
  return { text, found: discover(text, githubCamoUrl) }
}

/** A GET that follows redirects; `objection` judges each URL before it is visited. */
async function visit(
  start: string,
  headers: Record<string, string>,
  { outbound, elapsed }: PageContext,
  objection: (url: URL) => Unread | undefined,
): Promise<Answer | { answered: false; why: Unread }> {
  const until = elapsed() + timeout
  let url = new URL(start)
  for (let followed = 0; followed <= mostRedirects; followed += 1) {
    const why = objection(url)
    if (why) return { answered: false, why }
    const answer = await outbound.request(url.href, { timeout: Math.max(1, until - elapsed()), maxBytes, headers })
    if (!answer.answered) return { answered: false, why: failed(answer) }
    const next = redirectOf(answer.status, answer.headers.location, url)
    if (next === undefined) return answer
    if (next === 'malformed') return { answered: false, why: unreadable('a redirect without a valid URL') }
    url = next
  }
  return { answered: false, why: unreadable('too many redirects') }
}

function failed({ failure, note }: OutboundAnswer & { answered: false }): Unread {
  if (failure === 'internal') return { read: false, note, internal: true }
  // The timeout is for all redirects together, and the last visit had only the rest of it.
  const said = failure === 'timeout' ? timeoutAfter(timeout).note : note
  const words = note === bodyOver(maxBytes).note ? 'the page is larger than 5 MB' : said
  return { read: false, note: words, unreachable: isUnreachable(failure) }
}
