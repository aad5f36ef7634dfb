import type { Kit } from '../../server/kit.ts'
import type { OutboundAnswer } from '../../server/outbound/outbound.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { discover, type Found } from './discover.ts'
import { isGithubPage, repositoryOf } from './page-kind.ts'
import { retryAfter } from './retry-after.ts'

export type PageKit = Pick<Kit, 'config' | 'outbound' | 'now'>
/** A page as it was read, or why it could not be, in words; `internal` when the trouble is ours. */
export type Page =
  | { read: true; url: string; text: string; found: Found[] }
  | { read: false; note: string; wait?: Milliseconds; internal?: true }

const limits = { timeout: seconds(15), maxBytes: 5_000_000, redirects: 5 } as const
const hidden = 'not public, or does not exist'

/** Reads a page of GitHub and the proxied images it shows. When a repository's front page does not tell, its readme is asked for. */
export async function readPage(address: string, kit: PageKit): Promise<Page> {
  const page = await fetchPage(address, kit)
  const final = !page.read && (page.internal || page.note === hidden)
  if (final || (page.read && page.found.length > 0)) return page
  const [url, text] = page.read ? [page.url, page.text] : [address, '']
  const found = await readmeImages(url, kit)
  return found.length > 0 ? { read: true, url, text, found } : page
}

/** The proxied images of a repository's readme as the API renders it; none when it cannot be asked. */
async function readmeImages(address: string, { config, outbound }: PageKit): Promise<Found[]> {
  const repository = repositoryOf(new URL(address))
  if (!repository) return []
  const { owner, name } = repository
  const answer = await outbound.request(`${config.githubApiUrl}/repos/${owner}/${name}/readme`, {
    ...limits,
    headers: {
      accept: 'application/vnd.github.html+json',
      ...(config.githubToken ? { authorization: `Bearer ${config.githubToken}` } : {}),
    },
  })
  if (!answer.answered || answer.status !== 200) return []
  return discover(new TextDecoder().decode(answer.body), config.githubCamoUrl)
}

async function fetchPage(address: string, kit: PageKit): Promise<Page> {
  const { config, outbound } = kit
  const answer = await outbound.request(address, { ...limits, headers: { accept: 'text/html' } })
  if (!answer.answered) return failed(answer)
  const url = new URL(answer.url)
  if (!isGithubPage(url, config.githubUrl)) return { read: false, note: `led away from GitHub, to ${url.host}` }
  if (answer.status === 404 || url.pathname === '/login') return { read: false, note: hidden }
  if (answer.status !== 200) return refused(answer, kit)
  const text = new TextDecoder().decode(answer.body)
  return { read: true, url: answer.url, text, found: discover(text, config.githubCamoUrl) }
}

function refused({ status, headers }: OutboundAnswer & { answered: true }, kit: PageKit): Page {
  const wait = retryAfter(headers['retry-after'], kit.now())
  return { read: false, note: `GitHub answered ${status}`, ...(wait ? { wait } : {}) }
}

const failed = ({ failure, note }: OutboundAnswer & { answered: false }): Page => ({
  read: false,
  note,
  ...(failure === 'internal' ? { internal: true } : {}),
})
