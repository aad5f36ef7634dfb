import { githubUrls } from '../../../shared/urls/github-urls.ts'

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

/** The kind of a GitHub page, by its path. */
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

/** Whether this URL is on GitHub, gists included. */
export const isOfGithub = (url: URL, githubUrl: string): boolean =>
  githubUrls(githubUrl).some((own) => new URL(own).host === url.host)

/** Whether this is a page of GitHub, and not its home page. */
export const isGithubPage = (url: URL, githubUrl: string): boolean =>
  isOfGithub(url, githubUrl) && partsOf(url).length > 0

/** Whether both URLs show the same page: fragments, letter case and a trailing slash don't matter. */
export const isSamePage = (one: string, other: string): boolean => plain(one) === plain(other)

function plain(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href.replace(/\/$/, '').toLowerCase()
}
