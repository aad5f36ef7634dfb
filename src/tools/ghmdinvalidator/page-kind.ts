export type PageKind = 'profile' | 'repository' | 'file' | 'wiki' | 'gist' | 'issue' | 'discussion' | 'release' | 'page'

const byFolder: Record<string, PageKind> = {
  blob: 'file',
  tree: 'repository',
  wiki: 'wiki',
  issues: 'issue',
  pull: 'issue',
  discussions: 'discussion',
  releases: 'release',
}

/** What kind of page an address of GitHub shows, by its path. */
export function pageKind({ hostname, pathname }: URL): PageKind {
  if (hostname.startsWith('gist.')) return 'gist'
  const [owner, repository, folder] = pathname.split('/').filter(Boolean)
  if (owner === 'gist') return 'gist'
  if (owner && !repository) return 'profile'
  if (!folder) return repository ? 'repository' : 'page'
  return byFolder[folder] ?? 'page'
}

/** Owner and name of the repository whose front page this is; undefined for any other page. */
export function repositoryOf(url: URL): { owner: string; name: string } | undefined {
  const [owner, name, ...rest] = url.pathname.split('/').filter(Boolean)
  if (pageKind(url) !== 'repository' || rest.length > 0 || !owner || !name) return undefined
  return { owner, name: name.replace(/\.git$/, '') }
}

/** Where GitHub's gists live. */
export const gistUrl = (githubUrl: string): string => githubUrl.replace('://', '://gist.')

/** Whether this is a page of GitHub, or of its gists. */
export function isGithubPage(url: URL, githubUrl: string): boolean {
  const hosts = [githubUrl, gistUrl(githubUrl)].map((address) => new URL(address).host)
  return hosts.includes(url.host) && url.pathname !== '/'
}
