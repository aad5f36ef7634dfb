/** From where an address can be opened at most: `computer`, only where the server runs; `network`, only near it. */
export type Reach = 'computer' | 'network' | 'everywhere'

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/
const privateRanges = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)(?:\.\d+){2,3}$|^\[f[cde].*\]$/
const localNames = /^[^.[]+$|\.(?:local|lan|internal|home\.arpa)$/

/** From where a URL can be opened, as far as its host tells. */
export function reachOf(url: string): Reach {
  const { hostname } = new URL(url)
  if (loopback.test(hostname)) return 'computer'
  return privateRanges.test(hostname) || localNames.test(hostname) ? 'network' : 'everywhere'
}

/** GitHub's address and that of its gists; an IP address has no subdomain for gists. */
export const githubUrls = (githubUrl: string): string[] =>
  [githubUrl, githubUrl.replace('://', '://gist.')].filter((url) => URL.canParse(url))
