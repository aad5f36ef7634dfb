/** The widest place a URL can be opened from: `computer`, only the server's machine; `network`, only its network. */
export type Reach = 'computer' | 'network' | 'everywhere'

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/
const privateRanges = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)(?:\.\d+){2,3}$|^\[f[cde].*\]$/
const localNames = /^[^.[]+$|\.(?:local|lan|internal|home\.arpa)$/

/** Where a URL can be opened from, judging by its host alone. */
export function reachOf(url: string): Reach {
  const { hostname } = new URL(url)
  if (loopback.test(hostname)) return 'computer'
  return privateRanges.test(hostname) || localNames.test(hostname) ? 'network' : 'everywhere'
}

/** The URLs of GitHub and its gists; an IP address has no subdomain for gists. */
export const githubUrls = (githubUrl: string): string[] =>
  [githubUrl, githubUrl.replace('://', '://gist.')].filter((url) => URL.canParse(url))
